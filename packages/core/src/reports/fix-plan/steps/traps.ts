/** What people run into at a DNS host, told at the first record that it is about. */
import type { Panel, TrapSubject } from '../../../catalog/dns-hosts.js'
import type { WrittenRecord } from '../written-record.js'

export function trapsOf(
  record: WrittenRecord,
  records: readonly WrittenRecord[],
  { trapsOf: traps }: Panel,
): string[] {
  return (Object.entries(traps) as [TrapSubject, string][])
    .filter(([subject]) => records.find((each) => isAbout(subject, each)) === record)
    .map(([, trap]) => trap)
}

function isAbout(subject: TrapSubject, { action, type, purpose }: WrittenRecord): boolean {
  return action !== 'delete' && (subject === type || subject === purpose)
}
