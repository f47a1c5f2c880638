/** The frame around one mechanism. */

import type { StatusName } from '@mailgrade/core'
import type { PropsWithChildren } from 'hono/jsx'
import { StatusBadge } from '../parts/status-badge.js'

interface Heading {
  readonly id: string
  readonly title: string
  /** What the mechanism is, for people who meet its acronym here. */
  readonly about: string
  readonly status?: StatusName
}

export function CheckSection({ id, title, about, status, children }: PropsWithChildren<Heading>) {
  return (
    <section id={id} class="mechanism" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} {status && <StatusBadge status={status} />}
      </h2>
      <p class="about">{about}</p>
      {children}
    </section>
  )
}
