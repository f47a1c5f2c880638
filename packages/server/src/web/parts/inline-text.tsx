/** Text with inline code, and references to standards. */
import { rfcUrl } from '@mailgrade/core'

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
