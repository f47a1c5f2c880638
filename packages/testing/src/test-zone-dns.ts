import {
  type Dns,
  type FailureReason,
  failed,
  type RecordType,
  toQueryMethod,
} from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'

export interface TestZoneDns extends Dns {
  /** Every query, in order, such as `MX acme.test`. */
  readonly queries: string[]
}

/**
 * A `Dns` that answers from a zone, except for the queries in `failing`. The zone may be indented
 * like the test, so every line must name its owner.
 */
export function zoneDns(zone: string, failing: Record<string, FailureReason> = {}): TestZoneDns {
  const dns = createZoneDns('zone', zone.replace(/^[ \t]+/gm, ''))
  const queries: string[] = []
  const query = async (name: string, type: RecordType) => {
    const text = `${type} ${name}`
    queries.push(text)
    const reason = failing[text]
    return reason ? failed(reason, `${text} fails in this test`) : dns.query(name, type)
  }
  return { query: toQueryMethod(query), queries }
}
