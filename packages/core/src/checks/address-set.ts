/** Sets of addresses of one family: ranges in ascending order that do not touch. */
import { ADDRESS_BITS, type IpFamily, type IpRange } from './ip-address.js'

export type AddressSet = readonly IpRange[]

export const NO_ADDRESSES: AddressSet = []

const ALL_ADDRESSES: Readonly<Record<IpFamily, AddressSet>> = {
  ipv4: [{ first: 0n, last: (1n << BigInt(ADDRESS_BITS.ipv4)) - 1n }],
  ipv6: [{ first: 0n, last: (1n << BigInt(ADDRESS_BITS.ipv6)) - 1n }],
}

/** Always the same set, so it can be recognized. */
export function allAddresses(family: IpFamily): AddressSet {
  return ALL_ADDRESSES[family]
}

export function uniteRanges(ranges: readonly IpRange[]): AddressSet {
  if (ranges.length < 2) return ranges
  const united: { first: bigint; last: bigint }[] = []
  for (const range of [...ranges].sort(byFirst)) {
    const before = united.at(-1)
    if (!before || range.first > before.last + 1n) united.push({ ...range })
    else if (range.last > before.last) before.last = range.last
  }
  return united
}

function byFirst(one: IpRange, other: IpRange): number {
  return one.first < other.first ? -1 : one.first > other.first ? 1 : 0
}

export function intersectSets(one: AddressSet, other: AddressSet): AddressSet {
  const common: IpRange[] = []
  let index = 0
  for (const { first, last } of one) {
    while ((other[index]?.last ?? last) < first) index += 1
    for (let at = index; at < other.length; at += 1) {
      const range = other[at] as IpRange
      if (range.first > last) break
      common.push({ first: later(range.first, first), last: earlier(range.last, last) })
    }
  }
  return common
}

/** `Math.max` takes no bigint. */
function later(one: bigint, other: bigint): bigint {
  return one < other ? other : one
}

function earlier(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

export function subtractSet(from: AddressSet, removed: AddressSet): AddressSet {
  return intersectSets(from, complement(removed, from.at(-1)?.last ?? 0n))
}

/** What lies between the ranges, from zero to `last`. */
function complement(set: AddressSet, last: bigint): AddressSet {
  const gaps: IpRange[] = []
  let next = 0n
  for (const range of set) {
    if (range.first > next) gaps.push({ first: next, last: range.first - 1n })
    next = range.last + 1n
  }
  return next <= last ? [...gaps, { first: next, last }] : gaps
}

export function coversRange(set: AddressSet, { first, last }: IpRange): boolean {
  return set.some((range) => range.first <= first && last <= range.last)
}

export function countAddresses(set: AddressSet): bigint {
  return set.reduce((count, { first, last }) => count + last - first + 1n, 0n)
}
