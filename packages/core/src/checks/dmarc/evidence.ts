/** The records that a finding rests on, as they are shown. */
import { type Finding, txtEvidence } from '../finding.js'
import { toDisplayText } from '../txt-records.js'
import type { FoundDmarcRecord, WalkStep } from './tree-walk.js'

export function dmarcRecordEvidence({ step, record }: FoundDmarcRecord): Finding['evidence'] {
  return dmarcTxtEvidence(step, [record.text])
}

export function dmarcTxtEvidence(
  { name }: WalkStep,
  texts: readonly string[],
): Finding['evidence'] {
  return texts.map((text) => txtEvidence(name, toDisplayText(text)))
}
