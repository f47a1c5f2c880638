/** `RFC 7208 §4.6.4`, as the catalogs of findings and reasons write a reference. */
const RFC_SECTION = /^RFC (\d+)(?: §([0-9A-Z][0-9.]*))?$/

/** Null for anything but an RFC. */
export function rfcUrl(text: string): string | null {
  const [, number, section] = RFC_SECTION.exec(text) ?? []
  if (!number) return null
  const page = `https://www.rfc-editor.org/rfc/rfc${number}`
  if (!section) return page
  return `${page}#${/^\d/.test(section) ? 'section' : 'appendix'}-${section}`
}
