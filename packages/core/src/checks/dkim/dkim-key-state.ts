/** What is proven of a domain's DKIM. */
import type { DkimFacts } from './dkim-facts.js'

/**
 * `usable`: a key that receivers can use; `revoked`: only keys that were taken back; `absent`: none,
 * and that is proven; `hidden`: selectors exist, but none with such a key was found.
 */
type Standing = 'usable' | 'revoked' | 'absent' | 'hidden' | 'unproven'

export function determineKeyState(facts: DkimFacts): Standing {
  const {
    requestedSelector,
    keys,
    danglingCnames,
    wildcard,
    wildcardKeys,
    domainKeyState,
    failedNames,
  } = facts
  if (keys.some((key) => key.valid)) return 'usable'
  const records = requestedSelector === null ? [...keys, ...wildcardKeys] : keys
  if (records.length > 0 && records.every((key) => key.revoked)) return 'revoked'
  if (requestedSelector !== null) return 'absent'
  // What stands below a name overrides a server that denies the name itself.
  if (keys.length > 0 || danglingCnames.length > 0 || domainKeyState === 'exists') return 'hidden'
  const isDenied = domainKeyState === 'missing' && !wildcard
  return isDenied && failedNames.length === 0 ? 'absent' : 'unproven'
}

export const DKIM_PRESENCES = ['present', 'absent', 'unknown'] as const

export function determinePresence(facts: DkimFacts): (typeof DKIM_PRESENCES)[number] {
  switch (determineKeyState(facts)) {
    case 'usable':
      return 'present'
    case 'absent':
      return 'absent'
    case 'revoked':
      // A wildcard revokes every selector, but a revoked one says nothing of the others.
      return facts.requestedSelector !== null || facts.wildcardKeys.length > 0
        ? 'absent'
        : 'unknown'
    case 'hidden':
    case 'unproven':
      return 'unknown'
  }
}
