/** The owner's other question: will mail from the domain's own senders be trusted? */
import { z } from 'zod'
import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import { formatList } from '../../checks/format-list.js'
import { isCounted, isUnsignedMailbox, type StreamReport } from '../../streams/stream.js'
import { type CheckReports, lostStreams, sendingProfile } from './check-reports.js'

const REQUIREMENTS = ['spf', 'dkim', 'dmarc'] as const

export const bulkSenderSchema = z
  .object({
    ready: z.boolean().describe('All requirements are met'),
    missing: z
      .array(z.enum(REQUIREMENTS))
      .describe('Missing, or not in a form that receivers accept'),
    unknown: z
      .array(z.enum(REQUIREMENTS))
      .describe('Possibly there, but not visible in DNS (DKIM selectors cannot be listed)'),
  })
  .describe(
    'The DNS requirements of Gmail, Yahoo, and Outlook for bulk senders: SPF that authorizes a sender, a DKIM key of at least 1024 bits, and a DMARC policy',
  )

export type BulkSender = z.infer<typeof bulkSenderSchema>

export const ownMailSchema = z.object({
  status: z
    .enum(['pass', 'warn', 'fail', 'unknown'])
    .describe(
      '`fail`: a sender’s mail is rejected or goes to spam today. `warn`: it would under an enforced policy. `unknown`: DNS doesn’t show it, or a lookup failed',
    ),
  statement: z
    .string()
    .describe('Whether mail from the domain’s own senders passes, in a sentence'),
  bulkSender: bulkSenderSchema,
})

export type OwnMail = z.infer<typeof ownMailSchema>

/** Takes reports that were judged together. */
export function assessOwnMail(reports: CheckReports): OwnMail {
  return { ...judgeOwnMail(reports), bulkSender: assessBulkSender(reports) }
}

function judgeOwnMail(reports: CheckReports): Pick<OwnMail, 'status' | 'statement'> {
  const { domain } = reports.mx
  if (sendingProfile(reports) !== 'sending') {
    const statement = `${domain} itself sends no mail. This check doesn’t look at its subdomains.`
    return { status: 'pass', statement }
  }
  const streams = reports.streams.filter(isCounted)
  const lost = describeLoss(reports)
  if (lost) return { status: 'fail', statement: `${lost}.` }
  const with_ = (outcome: StreamReport['outcome']) =>
    streams.filter((stream) => stream.outcome === outcome)
  const [atRisk, passing, unknown] = [with_('at-risk'), with_('pass'), with_('unknown')]
  if (atRisk.length > 0) {
    const statement = `Mail from ${nameSenders(atRisk)} fails DMARC. It’s delivered only because no policy is enforced yet.`
    return { status: 'warn', statement }
  }
  if (passing.length > 0) {
    const rest =
      unknown.length > 0
        ? `, but DNS doesn’t show whether mail from ${nameSenders(unknown)} does`
        : ''
    const unsigned = passing.filter(isUnsignedMailbox)
    const forwarded =
      unsigned.length > 0
        ? ` Mail from ${nameSenders(unsigned)} isn’t signed, so it fails when it’s forwarded.`
        : ''
    const statement = `Mail from ${nameSenders(passing)} passes DMARC${rest}.${forwarded}`
    return { status: 'pass', statement }
  }
  return unknown.length > 0
    ? {
        status: 'unknown',
        statement: `DNS doesn’t show whether mail from ${nameSenders(unknown)} passes DMARC.`,
      }
    : { status: 'pass', statement: `DNS shows no one who sends mail as ${domain}.` }
}

/** As a clause; null if no mail is lost. */
export function describeLoss(reports: Pick<CheckReports, 'streams'>): string | null {
  const lost = lostStreams(reports)
  if (lost.length === 0) return null
  return `Mail from ${nameSenders(lost)} ${fateOf(lost)} today`
}

/** What receivers do today with mail that is lost or quarantined. */
export function fateOf(lost: readonly StreamReport[]): string {
  return lost.some(({ outcome }) => outcome === 'lost') ? 'is rejected' : 'goes to spam'
}

function nameSenders(streams: readonly StreamReport[]): string {
  return formatList(streams.map(nameSender))
}

/** Within a sentence. */
export function nameSender({ kind, name, at }: StreamReport): string {
  if (kind === 'own-server' || kind === 'web-host') return name.replace(/^Your/, 'your')
  return kind === 'subdomain' && name !== at ? `${name} (${at})` : name
}

/**
 * The DNS requirements of the large mailbox providers for bulk senders:
 * https://support.google.com/a/answer/81126, https://senders.yahooinc.com/best-practices/.
 */
export function assessBulkSender({ spf, dmarc, dkim, streams }: CheckReports): BulkSender {
  // The key of another service signs no mail of the mailboxes.
  const isUnsigned = streams.some(isUnsignedMailbox)
  const mailboxes = streams.filter((stream) => stream.kind === 'mailbox' && isCounted(stream))
  const isUnseen = mailboxes.length > 0 && mailboxes.every(({ dkim: state }) => state === 'unknown')
  const isAccepted = dkim.keys.some(isAcceptedKey)
  const hasKey = isAccepted && !isUnsigned && !isUnseen
  const isKeyUnknown = !isUnsigned && (isAccepted ? isUnseen : dkim.presence === 'unknown')
  const missing: BulkSender['missing'] = [
    ...(authorizesOwnMail(spf) ? [] : ['spf' as const]),
    ...(hasKey || isKeyUnknown ? [] : ['dkim' as const]),
    ...(dmarc.policy === null ? ['dmarc' as const] : []),
  ]
  return { ready: hasKey && missing.length === 0, missing, unknown: isKeyUnknown ? ['dkim'] : [] }
}

/** The mail of a mailbox provider that SPF does not authorize does not pass. */
function authorizesOwnMail({ valid, authorizesSenders, issues }: CheckReports['spf']): boolean {
  const isProviderMissing = issues.some(({ id }) => id === 'spf.mailbox-provider-missing')
  return valid && authorizesSenders && !isProviderMissing
}

/**
 * Providers verify RSA keys of at least 1024 bits (RFC 8301 §3.2), but neither Ed25519 alone nor
 * SHA-1 (§3.1). With a key in test mode, mail counts as unsigned (RFC 6376 §3.6.1).
 */
function isAcceptedKey(key: DkimReport['keys'][number]): boolean {
  const { valid, testing, keyType, keySize, hashAlgorithms, forwarder } = key
  const allowsSha256 = hashAlgorithms === null || hashAlgorithms.includes('sha256')
  return (
    valid && !forwarder && !testing && allowsSha256 && keyType === 'rsa' && (keySize ?? 0) >= 1024
  )
}
