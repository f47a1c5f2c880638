/** A name and those above it that have the same owner. */
import { registrableDomain } from '../../names/registrable-domain.js'

/** From the name up to its registrable domain; none of a public suffix, which is nobody's own. */
export function namesUpToRegistrable(name: string): string[] {
  // One label more tells a suffix, which would otherwise be its own registrable domain, from others.
  const owner = registrableDomain(`any.${name}`)
  const labels = name.split('.')
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .filter((parent) => parent.length >= owner.length)
}
