import type { Target } from '../../checks/mx/discover-mx.js'

/** Whether mail can be delivered there, as far as was looked. */
export function isAlive(target: Target): boolean {
  return target.kind === 'unasked' || (target.kind === 'host' && target.addresses.length > 0)
}
