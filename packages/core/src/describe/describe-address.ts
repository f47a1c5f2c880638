/** The verdict on an email address in words, with every reason. */
import { ADDRESS_REASONS } from '../catalog/address-lists.js'
import type { EmailReport } from '../reports/email-check/email-report.js'
import { describeServers, PROVIDER_KIND_LABELS } from './describe-mechanisms.js'
import {
  type Block,
  type BlockOf,
  code,
  fact,
  factsBlock,
  paragraph,
  type ReportDocument,
  statusText,
  withCode,
} from './document.js'

/** DNS shows where mail goes, not who receives it. */
const UNKNOWN_MAILBOX = 'Only its mail server knows whether the mailbox exists.'

const VERDICTS = {
  ok: ['pass', `The domain accepts mail, and we found no risks. ${UNKNOWN_MAILBOX}`],
  risky: ['warn', `The domain accepts mail, but this address is risky. ${UNKNOWN_MAILBOX}`],
  undeliverable: ['fail', 'Mail to this address can’t be delivered.'],
} as const

export function describeAddress(report: EmailReport): ReportDocument {
  const { email, verdict, reasons, suggestion, checks } = report
  const [status, words] = VERDICTS[verdict]
  const items = reasons.map((id) => {
    const { meaning, reference } = ADDRESS_REASONS[id]
    return { text: withCode(meaning), id, reference }
  })
  const blocks: (Block | null)[] = [
    paragraph(words),
    suggestion === null ? null : paragraph(['Did you mean ', code(suggestion), '?']),
    items.length === 0 ? null : { kind: 'list', items },
    describeFacts(report),
    ...describeServers(checks.mx),
  ]
  return {
    title: email,
    requested: null,
    status,
    result: statusText(status, verdict),
    blocks: blocks.filter((block) => block !== null),
    findings: [],
  }
}

/** What the verdict is based on, as far as it says something. */
function describeFacts(report: EmailReport): BlockOf<'facts'> {
  const { email, normalized, checks, freeProvider, privacyRelay } = report
  const { mx, parking, placeholder, role, disposable } = checks
  return factsBlock([
    normalized === email ? null : fact('Normalized form', [code(normalized)]),
    mx.provider && fact(PROVIDER_KIND_LABELS[mx.provider.kind], mx.provider.name),
    mx.mayAcceptAll
      ? fact('Accepts every address', 'possibly (gateways often do, and bounce the mail later)')
      : null,
    parking.matched === null ? null : fact('Parked at', parking.matched),
    placeholder.name === null ? null : fact('Placeholder name', placeholder.name),
    role.name === null ? null : fact('Role address', role.name),
    disposable.matched === null ? null : fact('Disposable email service', disposable.matched),
    freeProvider ? fact('Free provider', 'yes (not a problem)') : null,
    privacyRelay ? fact('Privacy relay', 'yes (not a problem)') : null,
    fact('Mailbox', 'not verified (we don’t contact mail servers)'),
  ])
}
