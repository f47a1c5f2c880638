/** The verdict on an email address, with every reason. */
import {
  ADDRESS_REASONS,
  ADDRESS_VERDICT_WORDS,
  addressFacts,
  type EmailReport,
  STATUS_SIGNS,
} from '@mailgrade/core'
import { MxServerTable } from '../check/mx-section.js'
import { FactList } from '../parts/fact-list.js'
import { Reference } from '../parts/inline-text.js'
import { Badge } from '../parts/status-badge.js'

export function EmailCheckView({ report }: { report: EmailReport }) {
  const { email, normalized, verdict, reasons, suggestion, checks } = report
  const { status, words } = ADDRESS_VERDICT_WORDS[verdict]
  return (
    <>
      <p class="summary">
        <code>{email}</code> <Badge tone={status} sign={STATUS_SIGNS[status]} word={verdict} />{' '}
        {words}
      </p>
      {suggestion && (
        <p>
          Did you mean: <code>{suggestion}</code>
        </p>
      )}
      {reasons.length > 0 && <Reasons reasons={reasons} />}
      <FactList
        facts={[
          normalized === email ? null : ['Normalized form', <code>{normalized}</code>],
          ...addressFacts(report),
        ]}
      />
      {checks.mx.records.length > 0 && !checks.mx.nullMx && (
        <MxServerTable records={checks.mx.records} />
      )}
    </>
  )
}

function Reasons({ reasons }: Pick<EmailReport, 'reasons'>) {
  return (
    <ul>
      {reasons.map((reason) => (
        <li>
          {ADDRESS_REASONS[reason].meaning}{' '}
          <small>
            <code>{reason}</code> · <Reference text={ADDRESS_REASONS[reason].reference} />
          </small>
        </li>
      ))}
    </ul>
  )
}
