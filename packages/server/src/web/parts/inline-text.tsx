/** Text with inline code, and references to standards. */

/** Our own text, in which backticks mark code. */
export function TextWithCode({ text }: { text: string }) {
  return (
    <span>
      {text.split('`').map((piece, index) => (index % 2 === 1 ? <code>{piece}</code> : piece))}
    </span>
  )
}

/** A standard, linked to the section it names. */
export function Reference({ text }: { text: string }) {
  const url = rfcUrl(text)
  return url ? <a href={url}>{text}</a> : <span>{text}</span>
}

const RFC_SECTION = /^RFC (\d+)(?: §([0-9A-Z][0-9.]*))?$/

/** Null for anything but an RFC. */
export function rfcUrl(text: string): string | null {
  const [, number, section] = RFC_SECTION.exec(text) ?? []
  if (!number) return null
  const page = `https://www.rfc-editor.org/rfc/rfc${number}`
  if (!section) return page
  return `${page}#${/^\d/.test(section) ? 'section' : 'appendix'}-${section}`
}
