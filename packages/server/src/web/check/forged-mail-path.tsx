/** The path of a forged message through this domain's settings, step by step. */
import type { BlockOf } from '@mailgrade/core'

interface ForgedMailPathProps {
  readonly path: BlockOf<'path'>
  /** Of the heading. */
  readonly level?: 2 | 3
}

export function ForgedMailPath({ path: { title, stops }, level = 2 }: ForgedMailPathProps) {
  const Heading = `h${level}` as const
  return (
    <section aria-labelledby="path">
      <Heading id="path">{title}</Heading>
      <ol class="path">
        {stops.map(({ name, text, status }) => (
          <li class={status}>
            <strong>{name}</strong> {text}
          </li>
        ))}
      </ol>
    </section>
  )
}
