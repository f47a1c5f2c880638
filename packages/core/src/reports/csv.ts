/** Rows as a CSV file (RFC 4180) that spreadsheets open safely. */

/** Spreadsheets read UTF-8 only with this mark. */
const BYTE_ORDER_MARK = '\ufeff'

export function toCsv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((fields) => `${fields.map(toField).join(',')}\r\n`).join('')
}

/** A spreadsheet would run a text that begins like a formula; the apostrophe makes it text. */
function toField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
