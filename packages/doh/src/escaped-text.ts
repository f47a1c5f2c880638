/** The escapes of zone files and name texts: `\.` is a dot that does not separate, `\032` an octet (RFC 1035 §5.1). */

/** A backslash stands before three digits, at most 255, or before one character that is no digit. */
const WELL_FORMED = /^(?:[^\\]|\\\D|\\(?:[01]\d\d|2[0-4]\d|25[0-5]))*$/su

/**
 * The octets an escaped text stands for, or null when it has an escape that means nothing;
 * characters beyond ASCII count as their UTF-8 octets.
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

/** The labels of a name, escapes kept; a trailing dot leaves an empty last label. */
export function splitLabels(name: string): string[] {
  if (!name.includes('\\')) return name.split('.')
  const labels = ['']
  for (const [piece] of name.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === '.') labels.push('')
    else labels[labels.length - 1] += piece
  }
  return labels
}
