/** Text to copy. The script shows the buttons; without it, people can select the text. */
import { hasCodePointMarks } from './page-display-text.js'

export function CopyableText({ text, what }: { text: string; what: string }) {
  return (
    <span class="copied">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}

/** Nothing for text with invisible characters: what is shown is not what would be copied. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  if (hasCodePointMarks(text)) return null
  return (
    <button type="button" class="copy" data-copy={text} hidden>
      Copy<span class="unseen"> {what}</span>
    </button>
  )
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
