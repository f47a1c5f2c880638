/** The domain in a text that is not quite one: `good..test`, `good,test`, `good.test/x`. */
import { parseDomain } from '@mailgrade/core'

/** Longer texts are refused before. */
const MAX_LENGTH = 320

/** Null if more than the signs around the name would have to be guessed. */
export function suggestDomain(text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  const host = dropUrlAndAddress(text.trim())
  if (host === null) return null
  const candidate = correctDots(host).toLowerCase()
  return candidate !== text.trim() && isDomain(candidate) ? candidate : null
}

/** Null with several addresses: either could be meant. */
function dropUrlAndAddress(text: string): string | null {
  const [authority = ''] = text
    .replace(/^[a-z][a-z\d+-]*:(?:\/\/?)?/i, '')
    .replace(/^\/\//, '')
    .split(/[/?#]/, 1)
  const [host = '', ...localParts] = authority.split('@').reverse()
  if (localParts.length > 1) return null
  return host.replace(/:\d*$/, '').replace(/>$/, '')
}

function correctDots(host: string): string {
  const spaced = host.replace(/\s*\.\s*/g, '.')
  // With a dot, other words may be separate names: "example.com example.org".
  const joined = spaced.includes('.') ? spaced : spaced.replace(/^(\S+)\s+(\S+)$/, '$1.$2')
  const isList = joined.split(',').filter(isDomain).length > 1
  return (isList ? joined : joined.replaceAll(',', '.')).replace(/\.{2,}/g, '.').replace(/^\./, '')
}

function isDomain(text: string): boolean {
  return parseDomain(text).kind === 'domain'
}
