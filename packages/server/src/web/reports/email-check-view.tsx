/** The verdict on an email address, with every reason. */
import { ADDRESS_REASONS, type EmailReport } from '@mailgrade/core'
import { MxServerTable, PROVIDER_KIND_LABELS } from '../check/mx-section.js'
import { FactList } from '../parts/fact-list.js'
import { Reference } from '../parts/inline-text.js'
import { Badge } from '../parts/status-badge.js'

/** DNS shows where mail goes, not who receives it. */
const UNKNOWN_MAILBOX = 'Only its mail server knows whether the mailbox exists.'

const VERDICTS = {
  ok: {
    tone: 'pass',
    sign: '✓',
    words: `The domain accepts mail, and we found no concerns. ${UNKNOWN_MAILBOX}`,
  },
  risky: {
    tone: 'warn',
    sign: '!',
    words: `The domain accepts mail, but this address is risky. ${UNKNOWN_MAILBOX}`,
  },
  undeliverable: { tone: 'fail', sign: '✕', words: 'Mail can’t arrive.' },
} as const

export function EmailCheckView({ report }: { report: EmailReport }) {
  const { email, normalized, verdict, reasons, suggestion, checks } = report
  const { tone, sign, words } = VERDICTS[verdict]
  return (
    <>
      <p class="summary">
        <code>{email}</code> <Badge tone={tone} sign={sign} word={verdict} /> {words}
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
          checks.mx.provider && [
            PROVIDER_KIND_LABELS[checks.mx.provider.kind],
            checks.mx.provider.name,
          ],
          checks.mx.mayAcceptAll
            ? ['Accepts every address', 'possibly (gateways often do, and bounce later)']
            : null,
          checks.parking.matched === null ? null : ['Parked at', checks.parking.matched],
          checks.placeholder.name === null ? null : ['Placeholder name', checks.placeholder.name],
          checks.role.name === null ? null : ['Role address', checks.role.name],
          checks.disposable.matched === null
            ? null
            : ['Disposable email service', checks.disposable.matched],
          report.freeProvider ? ['Free provider', 'yes (not a problem)'] : null,
          report.privacyRelay ? ['Privacy relay', 'yes (not a problem)'] : null,
          ['Mailbox', 'not verified (we don’t contact mail servers)'],
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
