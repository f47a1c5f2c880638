import type { MxTarget } from '../../checks/mx/discover-mx.js'

/** Whether mail can be delivered there, as far as was looked. */
export function isDeliverable(target: MxTarget): boolean {
  return target.kind === 'unqueried' || (target.kind === 'host' && target.addresses.length > 0)
}
