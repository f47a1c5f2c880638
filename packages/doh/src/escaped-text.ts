/** The escapes of zone files and names (RFC 1035 §5.1): `\.` is a literal dot, `\032` an octet. */

/** A backslash comes before three digits, at most 255, or before one character that is no digit. */
const WELL_FORMED = /^(?:[^\\]|\\\D|\\(?:[01]\d\d|2[0-4]\d|25[0-5]))*$/su

/**
 * Returns the octets of an escaped text, or null when an escape is invalid. Characters beyond
 * ASCII become their UTF-8 octets.
 */
export function unescapeOctets(text: string): Buffer | null {
  if (!text.includes('\\')) return Buffer.from(text)
  if (!WELL_FORMED.test(text)) return null
  const pieces = text.match(/\\\d{3}|\\.|[^\\]+/gsu) ?? []
  return Buffer.concat(
    pieces.map((piece) => {
      if (/^\\\d/.test(piece)) return Buffer.of(Number(piece.slice(1)))
      return Buffer.from(piece.replace(/^\\/, ''))
    }),
  )
}

/** Splits a name into labels and keeps their escapes. A trailing dot leaves an empty last label. */
export function splitLabels(name: string): string[] {
  if (!name.includes('\\')) return name.split('.')
  const labels = ['']
  for (const [piece] of name.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === '.') labels.push('')
    else labels[labels.length - 1] += piece
  }
  return labels
}
