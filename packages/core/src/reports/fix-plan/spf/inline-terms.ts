/** What an include says, in terms of the record that includes it. */
import {
  activeTerms,
  type Directive,
  isDirective,
  type SpfRecord,
} from '../../../checks/spf/spf-record.js'
import type { SpfNode } from '../../../checks/spf/spf-tree.js'

/** Null where it would not be the same. */
export function inlineTerms({ domain, records, term }: SpfNode): string[] | null {
  const isPass = term?.kind === 'include' && term.qualifier === '+'
  const said = records.flatMap(termsThatPass)
  const isPlain = said.every(({ text }) => !text.includes('%'))
  if (!isPass || records.length === 0 || !isPlain) return null
  return said.map(({ kind, target, text }) =>
    target === null && (kind === 'a' || kind === 'mx')
      ? text.replace(/^\+?(a|mx)/i, `$1:${domain}`)
      : text,
  )
}

/** RFC 7208 §5.2: an include matches what passes, and nothing else. */
function termsThatPass(record: SpfRecord): Directive[] {
  return activeTerms(record)
    .filter(isDirective)
    .filter(({ kind, qualifier }) => kind !== 'all' && qualifier === '+')
}
