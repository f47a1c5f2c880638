/** What is proven of a domain's DKIM. */
import type { DkimFacts } from './dkim-facts.js'

/**
 * `usable`: a key that receivers can use; `revoked`: only keys that were taken back; `absent`: none,
 * and that is proven; `hidden`: selectors exist, but none with such a key was found.
 */
type Standing = 'usable' | 'revoked' | 'absent' | 'hidden' | 'unproven'

export function standingOf(facts: DkimFacts): Standing {
  const { named, keys, dangling, wildcard, wildcardKeys, domainKey, namesFailed } = facts
  if (keys.some((key) => key.valid)) return 'usable'
  const records = named === null ? [...keys, ...wildcardKeys] : keys
  if (records.length > 0 && records.every((key) => key.revoked)) return 'revoked'
  if (named !== null) return 'absent'
  // What stands below a name overrides a server that denies the name itself.
  if (keys.length > 0 || dangling.length > 0 || domainKey === 'exists') return 'hidden'
  const isDenied = domainKey === 'missing' && !wildcard
  return isDenied && namesFailed.length === 0 ? 'absent' : 'unproven'
}

export const PRESENCES = ['present', 'absent', 'unknown'] as const

export function presenceOf(facts: DkimFacts): (typeof PRESENCES)[number] {
  switch (standingOf(facts)) {
    case 'usable':
      return 'present'
    case 'absent':
      return 'absent'
    case 'revoked':
      // A wildcard revokes every selector, but a revoked one says nothing of the others.
      return facts.named !== null || facts.wildcardKeys.length > 0 ? 'absent' : 'unknown'
    case 'hidden':
    case 'unproven':
      return 'unknown'
  }
}
