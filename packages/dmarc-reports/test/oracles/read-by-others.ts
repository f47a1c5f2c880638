/** The same reports, read by Debian's dmarc-cat and by Mail::DMARC. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface ReadRecord {
  readonly ip: string
  readonly count: string
  readonly disposition: string
  readonly dkim: string
  readonly spf: string
  readonly headerFrom: string
}

export interface ReadAggregateReport {
  readonly org: string
  readonly reportId: string
  readonly domain: string
  readonly begin: string
  readonly end: string
  readonly records: readonly ReadRecord[]
}

export type ReadByTool = ReadAggregateReport | { readonly error: string }

const SCRIPT = fileURLToPath(new URL('mail-dmarc.pl', import.meta.url))

export function readByMailDmarc(
  files: readonly string[],
  ...options: readonly '--strip-namespace'[]
): ReadByTool[] {
  const output = execFileSync('perl', [SCRIPT, ...options, ...files], { encoding: 'utf8' })
  return output
    .trim()
    .split('\n')
    .map((line) => toStrings(JSON.parse(line)))
}

/** Everything as text, so a difference in type is none. */
function toStrings(read: ReadByTool): ReadByTool {
  if ('error' in read) return read
  return JSON.parse(
    JSON.stringify(read, (_, value) => (typeof value === 'number' ? String(value) : value)),
  ) as ReadAggregateReport
}

/** Its debug output has the values that its table leaves out. */
export function readByDmarcCat(file: string): ReadByTool {
  const { stdout, stderr } = spawnSync('dmarc-cat', ['-N', '-D', '-t', 'xml', '-'], {
    input: readFileSync(file),
    encoding: 'utf8',
  })
  const report = /report=(\{.*\})\n/s.exec(stderr)?.[1]
  const org = /^Reporting by: (.*) — /m.exec(stdout)?.[1]
  if (report === undefined || org === undefined) return { error: lastLine(stderr) }
  const [, reportId = '', begin = '', end = ''] = /(\S*) \{(-?\d+) (-?\d+)\} \[/.exec(report) ?? []
  const domain = /^Domain: (.*)$/m.exec(stdout)?.[1] ?? ''
  return { org, reportId, domain, begin, end, records: recordsOf(report) }
}

/** `{{ip count {disposition dkim spf [reasons]}} {header_from …}`, as Go prints its structs. */
function recordsOf(report: string): ReadRecord[] {
  const rows = report.matchAll(
    /\{\{([^\s{}]*) (-?\d+) \{(\S*) (\S*) (\S*) \[.*?\]\}\} \{([^\s{}]*) /gs,
  )
  return [...rows].map(
    ([, ip = '', count = '', disposition = '', dkim = '', spf = '', from = '']) => {
      return { ip, count, disposition, dkim, spf, headerFrom: from }
    },
  )
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
