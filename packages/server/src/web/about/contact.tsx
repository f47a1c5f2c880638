/** How to reach the operator, if they say so. */
import { useSite } from '../site-context.js'

export function Contact({ before }: { before: string }) {
  const { contactEmail } = useSite()
  if (contactEmail === null) return null
  return (
    <p>
      {before} <a href={`mailto:${contactEmail}`}>{contactEmail}</a>.
    </p>
  )
}
