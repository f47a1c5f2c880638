/** What people run into at a DNS host, told at the first record that it is about. */
import type { DnsPanel, TrapSubject } from '../../../catalog/find-dns-host.js'
import type { PanelRecord } from '../panel-record.js'

export function trapsForRecord(
  record: PanelRecord,
  records: readonly PanelRecord[],
  { trapsOf: traps }: DnsPanel,
): string[] {
  return (Object.entries(traps) as [TrapSubject, string][])
    .filter(([subject]) => records.find((each) => isAbout(subject, each)) === record)
    .map(([, trap]) => trap)
}

function isAbout(subject: TrapSubject, { action, type, purpose }: PanelRecord): boolean {
  return action !== 'delete' && (subject === type || subject === purpose)
}
