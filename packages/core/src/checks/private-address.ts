/** Addresses that cannot be reached from the internet (RFC 6890 §2.2). */
import {
  type IpFamily,
  type IpRange,
  isInRange,
  parseIpAddress,
  rangeAround,
  unmapIpAddress,
} from './ip-address.js'

const PRIVATE_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const
const PRIVATE_IPV6 = [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const

/** RFC 5737 §3. */
const DOCUMENTATION_IPV4 = [
  ['192.0.2.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
] as const
/** RFC 3849 §2, RFC 9637 §3. */
const DOCUMENTATION_IPV6 = [
  ['2001:db8::', 32],
  ['3fff::', 20],
] as const

type RangesByFamily = Readonly<Record<IpFamily, readonly IpRange[]>>

const PRIVATE_RANGES: RangesByFamily = {
  ipv4: PRIVATE_IPV4.flatMap(toRange),
  ipv6: PRIVATE_IPV6.flatMap(toRange),
}
const DOCUMENTATION_RANGES: RangesByFamily = {
  ipv4: DOCUMENTATION_IPV4.flatMap(toRange),
  ipv6: DOCUMENTATION_IPV6.flatMap(toRange),
}

function toRange([network, prefix]: readonly [string, number]): IpRange[] {
  const address = parseIpAddress(network)
  return address ? [rangeAround(address, prefix)] : []
}

export function isPrivateAddress(address: string): boolean {
  return isInRanges(PRIVATE_RANGES, address)
}

/** For examples only. Not part of the private ones, because demo zones use these. */
export function isDocumentationAddress(address: string): boolean {
  return isInRanges(DOCUMENTATION_RANGES, address)
}

function isInRanges(ranges: RangesByFamily, address: string): boolean {
  const parsed = parseIpAddress(address)
  if (!parsed) return false
  const { family, value } = unmapIpAddress(parsed)
  return ranges[family].some((range) => isInRange(range, value))
}
