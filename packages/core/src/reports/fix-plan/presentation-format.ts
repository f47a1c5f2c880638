/** Texts and names as zone files write them (RFC 1035 §5.1). */

/** `"one" "two"`: never more than one line, whatever is inside. */
export function quoteStrings(strings: readonly string[]): string {
  return strings.map((string) => `"${escapeCharacterString(string)}"`).join(' ')
}

/** What stands between quotes. Octets are escaped in decimals, but for hosts that want another base. */
export function escapeCharacterString(text: string, base: 8 | 10 = 10): string {
  return text.replace(/["\\]|[^ -~]+/gu, (piece) =>
    /^["\\]$/.test(piece) ? `\\${piece}` : escapedOctets(piece, base),
  )
}

/**
 * With its final dot. Escapes that the name came with are kept; whatever else could be more than a
 * part of the name is escaped.
 */
export function formatAbsoluteName(name: string): string {
  const pieces = name.match(/\\(?:[01]\d\d|2[0-4]\d|25[0-5])|\\[!-/:-~]|./gsu) ?? []
  const escaped = pieces.map((piece) =>
    /^\\.|^[\w.*+=/:{}-]$/s.test(piece) ? piece : escapedOctets(piece, 10),
  )
  return pieces.at(-1) === '.' ? escaped.join('') : `${escaped.join('')}.`
}

function escapedOctets(text: string, base: 8 | 10): string {
  const octets = [...Buffer.from(text)]
  return octets.map((octet) => `\\${octet.toString(base).padStart(3, '0')}`).join('')
}
