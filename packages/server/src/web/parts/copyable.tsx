/** A text to be copied; the button comes to life with the script, and without it the text can be marked. */
import { hasCodePointMarks } from './page-display-text.js'

export function CopyableText({ text, what }: { text: string; what: string }) {
  return (
    <span class="copied">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}

/** None for what holds characters that do not show: it is not the text that stands here. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  if (hasCodePointMarks(text)) return null
  return (
    <button type="button" class="copy" data-copy={text} hidden>
      Copy<span class="unseen"> {what}</span>
    </button>
  )
}

/** Several lines of it. */
export function CopyableBlock({ text, what }: { text: string; what: string }) {
  return (
    <div class="block">
      <CopyButton text={text} what={what} />
      {/* Scrolls, and so must be reached by keyboard. */}
      <pre tabindex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
