/** What protects email, the most important first. */
import { CONTENT, type MechanismName } from '../../content/generated/content.js'
import type { Mechanism } from '../../content/mechanism.js'

export const MECHANISMS = CONTENT.mechanisms
export const MECHANISM_NAMES = Object.keys(MECHANISMS) as MechanismName[]

/** `Who may send (SPF)` */
export function mechanismTitle({ everydayName, acronym }: Mechanism): string {
  return `${everydayName} (${acronym})`
}
