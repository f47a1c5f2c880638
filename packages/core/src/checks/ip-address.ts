/** IP addresses and ranges as numbers, and the ranges that are not on the public internet. */
import { SocketAddress } from 'node:net'
import { isIpAddress } from '../names/host-problem.js'

export const IP_FAMILIES = ['ipv4', 'ipv6'] as const
export type IpFamily = (typeof IP_FAMILIES)[number]

export interface IpAddress {
  readonly family: IpFamily
  readonly value: bigint
}

/** From the first address to the last, both included. */
export interface IpRange {
  readonly first: bigint
  readonly last: bigint
}

export const ADDRESS_BITS: Readonly<Record<IpFamily, number>> = { ipv4: 32, ipv6: 128 }

/** Null if the text is not an address; zone ids (`fe80::1%eth0`) are not accepted. */
export function parseIpAddress(text: string): IpAddress | null {
  if (!isIpAddress(text) || text.includes('%')) return null
  if (!text.includes(':')) return { family: 'ipv4', value: ipv4Value(text) }
  return { family: 'ipv6', value: ipv6Value(text) }
}

const ZERO = 0x30

/** Without arrays, because parsing addresses is most of the work on a long SPF record. */
function ipv4Value(text: string): bigint {
  let value = 0
  let octet = 0
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit >= 0) octet = octet * 10 + digit
    else [value, octet] = [value * 256 + octet, 0]
  }
  return BigInt(value * 256 + octet)
}

function ipv6Value(text: string): bigint {
  const [head = '', tail] = withoutDottedEnd(text).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return BigInt(
    `0x${[...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('')}`,
  )
}

/** `::ffff:192.0.2.1` is `::ffff:c000:0201` (RFC 4291 §2.2). */
function withoutDottedEnd(text: string): string {
  return text.replace(/[\d.]+\.[\d.]+$/, (ipv4) => {
    const hex = ipv4Value(ipv4).toString(16).padStart(8, '0')
    return `${hex.slice(0, 4)}:${hex.slice(4)}`
  })
}

/** The range of a prefix length around an address. */
export function rangeAround({ family, value }: IpAddress, prefix: number): IpRange {
  const hostBits = BigInt(ADDRESS_BITS[family] - prefix)
  const first = (value >> hostBits) << hostBits
  return { first, last: first + (1n << hostBits) - 1n }
}

function isInRange({ first, last }: IpRange, value: bigint): boolean {
  return first <= value && value <= last
}

/** RFC 4291 §2.5.5.2: an IPv4 address as IPv6. */
const MAPPED_IPV4: IpRange = { first: 0xffffn << 32n, last: (0x10000n << 32n) - 1n }

/** The IPv4 address that an IPv4-mapped one stands for; others stay as they are. */
export function unmapIpAddress(address: IpAddress): IpAddress {
  const isMapped = address.family === 'ipv6' && isInRange(MAPPED_IPV4, address.value)
  return isMapped ? { family: 'ipv4', value: address.value - MAPPED_IPV4.first } : address
}

/** Four octets, or 32 hexadecimal digits: the labels of a reverse name, before reversal. */
export function addressLabels({ family, value }: IpAddress): string[] {
  if (family === 'ipv6') return [...value.toString(16).padStart(32, '0')]
  return [24n, 16n, 8n, 0n].map((bits) => String((value >> bits) & 0xffn))
}

/** RFC 1035 §3.5, RFC 3596 §2.5. */
export function reverseName(address: IpAddress): string {
  const suffix = address.family === 'ipv4' ? 'in-addr.arpa' : 'ip6.arpa'
  return `${addressLabels(address).reverse().join('.')}.${suffix}`
}

/** As people write it; IPv6 as RFC 5952 asks. */
export function formatIpAddress(address: IpAddress): string {
  if (address.family === 'ipv4') return addressLabels(address).join('.')
  const groups = addressLabels(address).join('').match(/.{4}/g) ?? []
  return new SocketAddress({ family: 'ipv6', address: groups.join(':') }).address
}

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
