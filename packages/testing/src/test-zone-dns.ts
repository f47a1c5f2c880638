import { type Dns, type FailureReason, failed, type RecordType } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'

export interface TestZoneDns extends Dns {
  /** Every question, in order, such as `MX acme.test`. */
  readonly queries: string[]
}

/**
 * A small DNS world: what its zone says, but for the questions that fail in it. The zone may be
 * indented as the test is; every line names its owner.
 */
export function zoneDns(zone: string, failing: Record<string, FailureReason> = {}): TestZoneDns {
  const dns = createZoneDns('zone', zone.replace(/^[ \t]+/gm, ''))
  const asked: string[] = []
  const ask = async (name: string, type: RecordType) => {
    const question = `${type} ${name}`
    asked.push(question)
    const reason = failing[question]
    return reason ? failed(reason, `${question} fails in this story`) : dns.query(name, type)
  }
  return { query: ask as Dns['query'], queries: asked }
}
