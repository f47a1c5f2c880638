/** Key records as evidence, and in words what is left out of it. */
import { type Finding, txtEvidence } from '../finding.js'
import { listed } from '../listed.js'
import type { FoundKey } from './dkim-facts.js'

export function keyEvidence({ name, record }: FoundKey): Finding['evidence'][number] {
  return txtEvidence(name, record)
}

/** All that was kept of a name's TXT records. */
export function textEvidence({ name, texts }: FoundKey): Finding['evidence'] {
  return texts.map((text) => txtEvidence(name, text))
}

/** A sentence to follow others, or nothing when every record is shown. */
export function notShown(keys: readonly FoundKey[]): string {
  const byName = new Map(keys.map((key) => [key.name, key.textCount - key.texts.length]))
  const cut = [...byName].filter(([, more]) => more > 0)
  const total = cut.reduce((sum, [, more]) => sum + more, 0)
  if (total === 0) return ''
  const names = listed(cut.map(([name]) => name))
  return total === 1
    ? ` 1 more record at ${names} is not shown.`
    : ` ${total} more records at ${names} are not shown.`
}
