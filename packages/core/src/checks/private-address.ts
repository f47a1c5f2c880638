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

const PRIVATE_RANGES: Readonly<Record<IpFamily, readonly IpRange[]>> = {
  ipv4: PRIVATE_IPV4.flatMap(toRange),
  ipv6: PRIVATE_IPV6.flatMap(toRange),
}

function toRange([network, prefix]: readonly [string, number]): IpRange[] {
  const address = parseIpAddress(network)
  return address ? [rangeAround(address, prefix)] : []
}

export function isPrivateAddress(address: string): boolean {
  const parsed = parseIpAddress(address)
  if (!parsed) return false
  const { family, value } = unmapIpAddress(parsed)
  return PRIVATE_RANGES[family].some((range) => isInRange(range, value))
}
