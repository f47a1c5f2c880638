/** The records that a finding rests on, as they are shown. */
import { type Finding, txtEvidence } from '../finding.js'
import { shown } from '../txt.js'
import type { Found, Station } from './tree-walk.js'

export function recordEvidence({ station, record }: Found): Finding['evidence'] {
  return textEvidence(station, [record.text])
}

export function textEvidence({ name }: Station, texts: readonly string[]): Finding['evidence'] {
  return texts.map((text) => txtEvidence(name, shown(text)))
}
