/** The records that a finding rests on, as they are shown. */
import type { Finding } from '../finding.js'
import { shown } from '../txt.js'
import type { Found, Station } from './tree-walk.js'

/** Many findings may rest on one record, which the report has in full. */
const MAX_CHARACTERS = 2_000

export function recordEvidence({ station, record }: Found): Finding['evidence'] {
  return textEvidence(station, [record.text])
}

export function textEvidence({ name }: Station, texts: readonly string[]): Finding['evidence'] {
  return texts.map((text) => ({ name, type: 'TXT', value: clipped(shown(text)) }))
}

function clipped(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}
