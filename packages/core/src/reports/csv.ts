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

/**
 * A sign that begins a formula, wherever a program may begin a cell: some split at semicolons or tabs,
 * and some don't know quotation marks. The last four are the wide forms of the first. It looks back
 * only from a sign, so a long run of blanks takes no longer.
 */
const FORMULA = /[=+\-@＝＋－＠](?<=(?:^|[,;\t\r\n])[\s"]*.)/g

/** A spreadsheet would run a formula; the apostrophe makes it text. */
function toField(text: string): string {
  const safe = text.replace(FORMULA, "'$&")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
