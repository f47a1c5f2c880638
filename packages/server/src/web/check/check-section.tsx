/** One mechanism in detail. */
import type { PropsWithChildren } from 'hono/jsx'
import { StatusBadge, type StatusName } from '../parts/status-badge.js'

interface Heading {
  readonly id: string
  readonly title: string
  readonly status?: StatusName
}

export function CheckSection({ id, title, status, children }: PropsWithChildren<Heading>) {
  return (
    <section id={id} class="mechanism" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} {status && <StatusBadge status={status} />}
      </h2>
      {children}
    </section>
  )
}
