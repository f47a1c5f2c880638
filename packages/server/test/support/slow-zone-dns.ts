/** A zone whose answers a test can hold back. */
import type { AbortableDns, FailureReason, RecordType } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'

/** Answers from a zone; the queries that `isHeld` names wait for `release`. */
export function slowZoneDns(
  text: string,
  isHeld: (query: string) => boolean,
  failing: Record<string, FailureReason> = {},
) {
  const zone = zoneDns(text, failing)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const query = async (name: string, type: RecordType) => {
    if (isHeld(`${type} ${name}`)) await released
    return zone.query(name, type)
  }
  return { dns: { query } as AbortableDns, release: () => release() }
}
