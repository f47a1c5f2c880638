/** A grade, and the points behind it in words. */

export function GradeBadge({ grade, words }: { grade: string; words: string }) {
  return (
    <span class="standing">
      <strong class={`grade ${grade}`}>{grade}</strong> <span>{words}</span>
    </span>
  )
}
