/** The escapes of zone files and name texts: `\.` is a dot that does not separate, `\032` an octet (RFC 1035 §5.1). */

/** The octets an escaped text stands for; characters beyond ASCII count as their UTF-8 octets. */
export function octetsOf(text: string): Buffer {
  if (!text.includes('\\')) return Buffer.from(text)
  const pieces = text.match(/\\\d{3}|\\.|[^\\]+/gsu) ?? []
  return Buffer.concat(
    pieces.map((piece) => {
      if (/^\\\d/.test(piece)) return Buffer.of(Number(piece.slice(1)) & 0xff)
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
