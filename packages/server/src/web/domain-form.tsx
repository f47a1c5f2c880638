/** The form that every visit starts with. */

import type { ProblemDetails } from '@mailgrade/operations/problem-details'
import type { FormValues } from '../http/query-parameters.js'
import { fieldValue, SelectorFields } from './input-fields.js'
import { VERBATIM_INPUT } from './parts/verbatim-input.js'
import { useLink } from './site-context.js'

interface DomainFormProps {
  readonly values: FormValues
  /** What was wrong with the input, which is marked then. */
  readonly problem?: Pick<ProblemDetails, 'parameter'>
}

export function DomainForm({ values, problem }: DomainFormProps) {
  const link = useLink()
  const isInvalid = problem?.parameter === 'domain'
  return (
    <search>
      <form class="ask" action={link('/')} method="get">
        <label for="domain">Domain, email address or website</label>
        <div>
          <input
            id="domain"
            name="domain"
            value={fieldValue(values, 'domain')}
            required
            maxlength={320}
            placeholder="example.com"
            {...VERBATIM_INPUT}
            inputmode="url"
            {...(isInvalid && { 'aria-invalid': 'true', 'aria-describedby': 'problem' })}
          />
          <button type="submit">Check</button>
        </div>
        <SelectorFields values={values} />
      </form>
    </search>
  )
}
