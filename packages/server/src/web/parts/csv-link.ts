/** A link with the CSV file in it, which works without a script and without another check. */
export function toCsvLink(csv: string): string {
  return `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`
}
