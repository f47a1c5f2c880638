/** Our own sentences, in which code stands between back ticks. */

export function TextWithCode({ text }: { text: string }) {
  return (
    <span>
      {text.split('`').map((piece, index) => (index % 2 === 1 ? <code>{piece}</code> : piece))}
    </span>
  )
}
