/** Addresses that cannot be reached from the internet (RFC 6890 §2.2). */
import {
  type IpFamily,
  type IpRange,
  isInRange,
  parseIpAddress,
  rangeAround,
  unmapIpAddress,
} from './ip-address.js'

export const isPrivateAddress = createRangeCheck({
  ipv4: [
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
  ],
  ipv6: [
    ['::', 127],
    ['fc00::', 7],
    ['fe80::', 10],
    ['ff00::', 8],
  ],
})

/** For examples only. Not part of the private ones, because demo zones use these. */
export const isDocumentationAddress = createRangeCheck({
  // RFC 5737 §3.
  ipv4: [
    ['192.0.2.0', 24],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
  ],
  // RFC 3849 §2, RFC 9637 §3.
  ipv6: [
    ['2001:db8::', 32],
    ['3fff::', 20],
  ],
})

type Network = readonly [address: string, prefix: number]

/** The networks of a family are parsed when an address of it is checked. */
function createRangeCheck(
  networks: Readonly<Record<IpFamily, readonly Network[]>>,
): (address: string) => boolean {
  const ranges: Partial<Record<IpFamily, IpRange[]>> = {}
  return (address) => {
    const parsed = parseIpAddress(address)
    if (!parsed) return false
    const { family, value } = unmapIpAddress(parsed)
    ranges[family] ??= networks[family].flatMap(toRange)
    return ranges[family].some((range) => isInRange(range, value))
  }
}

function toRange([network, prefix]: Network): IpRange[] {
  const address = parseIpAddress(network)
  return address ? [rangeAround(address, prefix)] : []
}
