/** What a plan asks its owner, as a form that gets the plan again with the same payment. */
import type { FixPlan } from '@mailgrade/core'
import { fixPlan } from '@mailgrade/operations/fix-plan'
import { reportPagePath } from '@mailgrade/operations/service-paths'
import type { FormValues } from '../../../http/query-parameters.js'
import {
  fieldValue,
  fieldValues,
  HiddenExact,
  ReportAddressField,
  SelectorInput,
  ServiceChoice,
  serviceName,
} from '../../input-fields.js'
import { useLink } from '../../site-context.js'

interface PlanAnswersProps {
  readonly plan: FixPlan
  /** The answers that this plan was made with. */
  readonly values: FormValues
}

/** The script shows it in the tab that has the payment. */
export function PlanAnswers({ plan, values }: PlanAnswersProps) {
  const link = useLink()
  const questions = listQuestions(plan, values)
  const asked = new Set(questions.map(({ id }) => id))
  const domain = fieldValue(values, 'domain') || plan.domain
  return (
    <form class="buy" data-answers={link(reportPagePath(fixPlan))} hidden>
      <details class="options" data-screen>
        <summary>Change your answers (free)</summary>
        <p>
          Your payment covers this. For 24 hours, you can change your answers up to 20 times and get
          the plan again.
        </p>
        <input type="hidden" name="domain" value={domain} />
        <HiddenExact values={values} />
        {questions.map((question) => (
          <Question {...question} />
        ))}
        <ServiceChoice
          name="uses"
          label="Other services you use to send mail"
          values={values}
          except={asked}
        />
        <label>
          Your DKIM selectors, separated by commas
          <SelectorInput value={fieldValues(values, 'selector').join(',')} />
        </label>
        <ReportAddressField values={values} />
        <button type="submit">Update the plan</button>
        <p role="status" />
      </details>
    </form>
  )
}

interface ServiceQuestion {
  readonly id: string
  readonly name: string
  readonly answer: 'uses' | 'unused' | ''
}

/** The services that may no longer be in use, and those that the owner has spoken of. */
function listQuestions({ senders }: FixPlan, values: FormValues): ServiceQuestion[] {
  const given = (['uses', 'unused'] as const).flatMap((answer) =>
    fieldValues(values, answer).map((id) => [id, answer] as const),
  )
  const answers = new Map(given)
  const open = senders.filter(({ id, inUse }) => inUse !== 'yes' || answers.has(id))
  const names = new Map(open.map(({ id, name }) => [id, name]))
  for (const id of fieldValues(values, 'unused')) if (!names.has(id)) names.set(id, serviceName(id))
  return [...names].map(([id, name]) => ({ id, name, answer: answers.get(id) ?? '' }))
}

const CHOICES = [
  ['', 'I don’t know'],
  ['uses', 'Yes'],
  ['unused', 'No'],
] as const

/** The script sends the id of the service as `uses` or `unused`. */
function Question({ id, name, answer }: ServiceQuestion) {
  return (
    <label>
      Do you send mail with {name}?
      <select name={`service.${id}`}>
        {CHOICES.map(([value, words]) => (
          <option value={value} selected={value === answer}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}
