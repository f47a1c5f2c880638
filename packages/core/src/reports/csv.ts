/** Rows as a CSV file (RFC 4180) that spreadsheets open safely. */

/** Spreadsheets read UTF-8 only in files with this mark; programs that read a pipe mind it. */
export const BYTE_ORDER_MARK = '\ufeff'

type Rows = readonly (readonly string[])[]

/** A file. */
export function toCsv(rows: Rows): string {
  return BYTE_ORDER_MARK + toCsvRecords(rows)
}

/** For a pipe, or a part of a file. */
export function toCsvRecords(rows: Rows): string {
  return rows.map((fields) => `${fields.map(toField).join(',')}\r\n`).join('')
}

/** A spreadsheet would run a text that begins like a formula; the apostrophe makes it text. */
function toField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
