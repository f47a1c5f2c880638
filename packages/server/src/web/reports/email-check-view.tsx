/** The verdict on an address, with every reason. */

import type { EmailReport } from '@mailgrade/core'
import { ADDRESS_REASONS } from '@mailgrade/core'
import { MxServerTable, PROVIDER_KIND_LABELS } from '../check/mx-section.js'
import { FactList } from '../parts/fact-list.js'
import { Reference } from '../parts/reference.js'
import { Badge } from '../parts/status-badge.js'

const VERDICTS = {
  ok: { tone: 'pass', sign: '✓', words: 'Nothing speaks against it.' },
  risky: { tone: 'warn', sign: '!', words: 'Mail can arrive, but something speaks against it.' },
  undeliverable: { tone: 'fail', sign: '✕', words: 'Mail cannot arrive.' },
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
          Probably meant: <code>{suggestion}</code>
        </p>
      )}
      {reasons.length > 0 && <Reasons reasons={reasons} />}
      <FactList
        facts={[
          normalized === email ? null : ['Simplest form', <code>{normalized}</code>],
          checks.mx.provider && [
            PROVIDER_KIND_LABELS[checks.mx.provider.kind],
            checks.mx.provider.name,
          ],
          checks.role.name === null ? null : ['A function rather than a person', checks.role.name],
          checks.disposable.matched === null
            ? null
            : ['On a list of disposable services', checks.disposable.matched],
          report.freeProvider ? ['Free provider', 'yes, which is no fault'] : null,
          report.privacyRelay ? ['Privacy relay', 'yes, which is no fault'] : null,
          ['The mailbox itself', 'was not asked, so whether it exists is not known'],
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
