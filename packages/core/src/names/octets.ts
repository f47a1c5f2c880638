/** How long a text is where it travels as UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text)
}
