/** Reports as text for a terminal. */
import { toVisibleLine } from '@mailgrade/core'

/** Texts of reports mark code with backticks; a terminal shows the words alone. */
export function toTerminalText(text: string): string {
  return text.replaceAll('`', '')
}

/** Files inside a plan: they need their line breaks, and no text output shows them. */
const FILES: ReadonlySet<string> = new Set(['zoneFile', 'terraform', 'calendar'])

/** Invisible characters become visible, and no record can print a line of its own. */
export function toTerminalReport<Report>(report: Report): Report {
  return JSON.parse(
    JSON.stringify(report, (key, value) =>
      typeof value === 'string' && !FILES.has(key) ? toVisibleLine(value) : value,
    ),
  )
}
