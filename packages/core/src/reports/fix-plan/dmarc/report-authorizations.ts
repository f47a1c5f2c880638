/** Records by which other organisations agree to take reports. */
import { MAX_DOMAIN_LENGTH } from '../../../names/name-limits.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'

/** RFC 9990 §4: without such a record receivers send them none. */
export function reportAuthorizationRecords(
  domain: string,
  hosts: readonly string[],
): PlannedRecord[] {
  return hosts
    .map((host) => ({ host, name: `${domain}._report._dmarc.${host}` }))
    .filter(({ name }) => name.length <= MAX_DOMAIN_LENGTH)
    .map(({ host, name }) => ({
      ...createPlannedRecord('dmarc', name, 'v=DMARC1'),
      why: `By what the DNS says, ${host} belongs to another organisation, and receivers send it reports only if it says here that it takes them (RFC 9990 §4). Whoever runs the DNS of ${host} has to publish this.`,
    }))
}
