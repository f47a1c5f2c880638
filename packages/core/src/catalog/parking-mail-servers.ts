/** Mail servers of services that hold domains for sale. They accept mail that no one reads. */
import { createHostMatcher, type HostPattern } from './host-pattern.js'

const PARKING_MAIL_SERVERS: readonly HostPattern[] = [
  'park-mx.above.com',
  'h-email.net',
  'parkmail.dynadot.com',
  'sedoparking.com',
  'parkingcrew.net',
]

const findParking = createHostMatcher(PARKING_MAIL_SERVERS, (host) => [host])

export function isParkingMailServer(host: string): boolean {
  return findParking(host) !== null
}
