/** Addresses that cannot be reached from the internet (RFC 6890 §2.2). */
import { BlockList, isIPv4 } from 'node:net'

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

const privateRanges = new BlockList()
for (const [network, prefix] of PRIVATE_IPV4) privateRanges.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of PRIVATE_IPV6) privateRanges.addSubnet(network, prefix, 'ipv6')

export function isPrivateAddress(address: string): boolean {
  return privateRanges.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}
