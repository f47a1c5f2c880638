/** A text to be copied; the button comes to life with the script, and without it the text can be marked. */

export function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span class="copied">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <button type="button" class="copy" data-copy={text} hidden>
      Copy<span class="unseen"> {what}</span>
    </button>
  )
}

/** Several lines of it. */
export function CopiedBlock({ text, what }: { text: string; what: string }) {
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
