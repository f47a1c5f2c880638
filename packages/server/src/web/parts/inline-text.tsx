/** Text with inline code, and references to standards. */
import { rfcUrl, type Text } from '@mailgrade/core'
import { Badge } from './status-badge.js'

/** Our own text, in which backticks mark code. */
export function TextWithCode({ text }: { text: string }) {
  return (
    <span>
      {text.split('`').map((piece, index) => (index % 2 === 1 ? <code>{piece}</code> : piece))}
    </span>
  )
}

export function RichText({ text }: { text: Text }) {
  if (typeof text === 'string') return <>{text}</>
  return (
    <>
      {text.map((run) => {
        if (typeof run === 'string') return run
        if ('mark' in run) return <Badge tone={run.tone} word={run.mark} />
        return <code class={run.isRecord && 'text'}>{run.code}</code>
      })}
    </>
  )
}

/** A standard, linked to the section it names. */
export function Reference({ text }: { text: string }) {
  const url = rfcUrl(text)
  return url ? <a href={url}>{text}</a> : <span>{text}</span>
}
