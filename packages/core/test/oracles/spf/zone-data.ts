/** A small DNS zone as data, for our checks and the evaluators. */

export type ZoneRow =
  | readonly ['A' | 'AAAA' | 'CNAME' | 'PTR', string]
  | readonly ['MX', readonly [preference: number, exchange: string]]
  /** One character per octet. */
  | readonly ['TXT' | 'SPF', readonly string[]]

/** By owner: lower case, without a final dot, nothing escaped. */
export type ZoneData = Readonly<Record<string, readonly ZoneRow[]>>

/** As zone-file text. */
export function toZoneFile(zone: ZoneData): string {
  return Object.entries(zone)
    .flatMap(([owner, rows]) => rows.map((row) => `${nameText(owner)} ${row[0]} ${dataText(row)}`))
    .join('\n')
}

function dataText([type, data]: ZoneRow): string {
  switch (type) {
    case 'MX':
      return `${data[0]} ${nameText(data[1])}`
    case 'TXT':
    case 'SPF':
      return data.map((text) => `"${escaped(text, /[^\w .:/=~?+-]/g)}"`).join(' ')
    case 'CNAME':
    case 'PTR':
      return nameText(data)
    default:
      return data
  }
}

function nameText(name: string): string {
  const labels = name.split('.').filter((label) => label !== '')
  return `${labels.map((label) => escaped(label, /[^\w-]/g)).join('.')}.`
}

function escaped(text: string, odd: RegExp): string {
  return text.replace(odd, (octet) => `\\${String(octet.charCodeAt(0)).padStart(3, '0')}`)
}
