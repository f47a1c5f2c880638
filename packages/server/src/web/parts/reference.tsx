/** The text a judgement rests on, as a link to its section. */

const RFC_SECTION = /^RFC (\d+)(?: §([0-9A-Z][0-9.]*))?$/

export function Reference({ text }: { text: string }) {
  const url = rfcUrl(text)
  return url ? <a href={url}>{text}</a> : <span>{text}</span>
}

/** Null for whatever is no RFC. */
export function rfcUrl(text: string): string | null {
  const [, number, section] = RFC_SECTION.exec(text) ?? []
  if (!number) return null
  const page = `https://www.rfc-editor.org/rfc/rfc${number}`
  if (!section) return page
  return `${page}#${/^\d/.test(section) ? 'section' : 'appendix'}-${section}`
}
