/** The path of a forged message through this domain's settings, step by step. */
import { type DomainReport, describeForgedMail } from '@mailgrade/core'

interface ForgedMailPathProps {
  readonly report: DomainReport
  /** Of the heading. */
  readonly level?: 2 | 3
}

export function ForgedMailPath({ report, level = 2 }: ForgedMailPathProps) {
  const Heading = `h${level}` as const
  return (
    <section aria-labelledby="path">
      <Heading id="path">What happens to a forged email today</Heading>
      <ol class="path">
        {describeForgedMail(report).map(({ name, text, status }) => (
          <li class={status}>
            <strong>{name}</strong> {text}
          </li>
        ))}
      </ol>
    </section>
  )
}
