/** What the lists of services and DNS hosts share. */
import type { DnsHost } from '@mailgrade/core'

/** In all examples (RFC 2606). */
export const EXAMPLE_DOMAIN = 'example.com'

/** A menu path, with the month in which it was last confirmed. */
export function ScreenPath({ screen }: Pick<DnsHost['panel'], 'screen'>) {
  const { path, confirmed } = screen
  return (
    <>
      <span class="screen-path">{path}</span>
      {confirmed && <small> as of {confirmed}</small>}
    </>
  )
}
