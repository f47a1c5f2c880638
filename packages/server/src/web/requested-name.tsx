/** Says that the report is about the domain behind a `www.` name, with a link to the name itself. */
import type { FormValues } from '../http/query-parameters.js'
import { toQuery } from './input-fields.js'
import { useLink } from './site-context.js'

interface RequestedNameProps {
  readonly report: object
  /** The page that reports on the name itself. */
  readonly path: string
  /** The other parameters of the request. */
  readonly values: FormValues
}

export function RequestedName({ report, path, values }: RequestedNameProps) {
  const link = useLink()
  const { domain, requested }: { domain?: unknown; requested?: unknown } = report
  if (typeof domain !== 'string' || typeof requested !== 'string') return null
  const query = toQuery({ ...values, domain: [requested], exact: ['true'] })
  return (
    <p class="requested">
      You entered {requested}. This is the report for {domain}.{' '}
      <a href={link(`${path}?${query}`)}>Check {requested} itself</a>
    </p>
  )
}
