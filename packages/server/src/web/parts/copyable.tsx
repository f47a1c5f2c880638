/** Text to copy. The script shows the buttons; without it, people can select the text. */
import { hasCodePointMarks } from '@mailgrade/core'

export function CopyableText({ text, what }: { text: string; what: string }) {
  return (
    <span class="copied">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}

/** Nothing for text with invisible characters: what is shown is not what would be copied. */
export function CopyButton({ text, what, isNamed = false }: CopyButtonProps) {
  if (hasCodePointMarks(text)) return null
  return (
    <button type="button" class="copy" data-copy={text} hidden>
      Copy<span class={isNamed ? '' : 'unseen'}> {what}</span>
    </button>
  )
}

interface CopyButtonProps {
  readonly text: string
  readonly what: string
  /** Says what it copies, where the text is not beside it. */
  readonly isNamed?: boolean
}

/** Several lines of text to copy. */
export function CopyableBlock({ text, what }: { text: string; what: string }) {
  return (
    <div class="block">
      <CopyButton text={text} what={what} />
      {/* It scrolls, so it must be reachable with the keyboard. */}
      <pre tabindex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
