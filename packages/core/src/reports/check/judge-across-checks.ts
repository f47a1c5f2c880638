/** What shows only when the checks are seen side by side. */

import { NO_MAIL_DMARC_RECORD } from '../../checks/dmarc/judge-dmarc-presence.js'
import {
  createFinding,
  deriveStatus,
  type Finding,
  proposeTxtRecord,
  txtEvidence,
} from '../../checks/finding.js'
import { type CheckReports, effectiveTreatment, sendingProfile } from './check-reports.js'

/** No fault of a domain that sends nothing. */
const PARDONED: ReadonlySet<string> = new Set([
  'mx.missing',
  'dkim.missing',
  'dkim.unknown',
  'dkim.unknown-selector',
  'dkim.revoked',
])

export function judgeAcrossChecks(parts: CheckReports): CheckReports {
  const { mx, spf, dmarc, dkim } = parts
  const sends = sendingProfile(parts) === 'sending'
  const advise = isDeaf(parts) ? adviseUnreachable : (each: Finding) => each
  const own = (issues: readonly Finding[]) =>
    sends
      ? issues.map((each) => advise(each, parts))
      : issues.filter(({ id }) => !PARDONED.has(id)).map((each) => adviseNonSending(each, parts))
  return {
    mx: withIssues(mx, [...own(mx.issues), ...nullButSending(parts)]),
    spf: withIssues(spf, [...own(spf.issues), ...softfailWithoutDmarc(parts)]),
    dmarc: withIssues(dmarc, [...own(dmarc.issues), ...rejectWithoutDkim(parts)]),
    dkim: withIssues(dkim, own(dkim.issues)),
  }
}

/** Nobody is let send, and nobody can answer: no MX and no address. */
function isDeaf({ mx, spf }: CheckReports): boolean {
  return !spf.authorizesSenders && mx.issues.some(({ id }) => id === 'mx.missing')
}

function withIssues<Part extends { issues: Finding[]; status: string }>(
  part: Part,
  issues: readonly Finding[],
): Part {
  return { ...part, status: deriveStatus(issues), issues: [...issues] }
}

function nullButSending({ mx, spf }: CheckReports): Finding[] {
  if (!mx.nullMx || !spf.authorizesSenders) return []
  return [
    createFinding(
      'mx.null-but-sending',
      {
        title: 'The domain sends mail, but a null MX says that nobody can answer',
        detail:
          'Some receivers refuse mail from a domain that accepts none, since bounces and answers have nowhere to go.',
        fix: `Publish the MX records of the mailbox provider of ${mx.domain}, or, if it sends nothing, change its SPF record to "v=spf1 -all".`,
      },
      [
        { name: mx.domain, type: 'MX', value: '0 .' },
        ...spf.records.map((text) => txtEvidence(spf.domain, text)),
      ],
    ),
  ]
}

function softfailWithoutDmarc({ spf, dmarc }: CheckReports): Finding[] {
  if (spf.allResult !== 'softfail' || effectiveTreatment(dmarc) !== 'none') return []
  return [
    createFinding(
      'spf.softfail-without-dmarc',
      {
        title: 'SPF ends in "~all", and no DMARC policy acts on it',
        detail:
          'A soft fail only marks forged mail as doubtful. It is the right ending when DMARC enforces, because DMARC then decides; here nothing does.',
        fix: 'Move DMARC to "p=quarantine" and then "p=reject" once the reports show that all real mail passes; leave "~all" as it is.',
      },
      spf.records.map((text) => txtEvidence(spf.domain, text)),
    ),
  ]
}

/** RFC 9989 §8.5: forwarding breaks SPF, so that rejecting must not rest on SPF alone. */
function rejectWithoutDkim(parts: CheckReports): Finding[] {
  const { dmarc, dkim } = parts
  const isAtRisk =
    dmarc.policy === 'reject' && dkim.presence === 'absent' && sendingProfile(parts) === 'sending'
  if (!isAtRisk) return []
  return [
    createFinding(
      'dmarc.reject-without-dkim',
      {
        title: 'DMARC rejects, but nothing is signed with DKIM',
        detail:
          'Mail then passes DMARC by SPF alone, and SPF breaks whenever mail is forwarded: real mail is rejected.',
        fix: `Set up DKIM for ${dkim.domain} with everybody who sends for it. Until then "p=quarantine" loses less real mail.`,
      },
      dmarc.record === null || dmarc.recordName === null
        ? []
        : [txtEvidence(dmarc.recordName, dmarc.record)],
    ),
  ]
}

type Advice = (finding: Finding, parts: CheckReports) => Pick<Finding, 'fix' | 'record'>

const ADVICE: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['spf.missing', lockSpf],
  ['dmarc.missing', lockDmarc],
  ['mx.implicit', lockMx],
  ['spf.neutral-all', closeSpf],
  ['spf.no-all', closeSpf],
])

/** What suits a domain that names nobody who sends, and to which nobody can answer. */
export function adviseUnreachable(found: Finding, parts: CheckReports): Finding {
  return ADVICE.get(found.id) === closeSpf ? adviseNonSending(found, parts) : found
}

export function adviseNonSending(finding: Finding, parts: CheckReports): Finding {
  const advise = ADVICE.get(finding.id)
  if (!advise) return finding
  const { record: _, ...rest } = finding
  return { ...rest, ...advise(finding, parts) }
}

/** Such a domain has a null MX, or it would not be known to be silent. */
function lockSpf({ fix }: Finding, { spf }: CheckReports): Pick<Finding, 'fix' | 'record'> {
  // What was meant would let somebody send, against what the MX says: the owner has to choose.
  if (spf.issues.some(({ id }) => id === 'spf.near-miss' || id === 'spf.type-99')) return { fix }
  const record = 'v=spf1 -all'
  return {
    fix: `Publish "${spf.domain} TXT ${record}": its null MX says that there is no mail, and nobody should be able to send any. If somebody does send for it, name them in the record instead.`,
    ...proposeTxtRecord(spf.domain, record),
  }
}

/** A soft ending spares senders that were forgotten; here there are none. */
function closeSpf(
  { fix, record }: Finding,
  { spf }: CheckReports,
): Pick<Finding, 'fix' | 'record'> {
  if (!record) return { fix }
  const value = record.value.replace(/~all(?= |$)/, '-all')
  return {
    fix: `End the record of ${spf.domain} in "-all": "${value}". It lets nobody send as it is. If somebody does send for the domain, name them before "-all".`,
    record: { ...record, value },
  }
}

/** Only where nothing is published yet: what is there but broken is to be mended as it was meant. */
function lockDmarc(missing: Finding, { dmarc }: CheckReports): Pick<Finding, 'fix' | 'record'> {
  const isBroken = dmarc.issues.some(({ id }) => BROKEN_DMARC.has(id))
  if (isBroken) return { fix: missing.fix, ...(missing.record && { record: missing.record }) }
  const name = `_dmarc.${dmarc.domain}`
  const isAlias = dmarc.issues.some(
    ({ id, evidence }) => id === 'dmarc.dangling-cname' && evidence[0]?.name === name,
  )
  return {
    fix: `Publish at ${name}${isAlias ? ', in place of the CNAME' : ''}: "${NO_MAIL_DMARC_RECORD}". The domain sends no mail, so none of its own can be lost.`,
    ...proposeTxtRecord(name, NO_MAIL_DMARC_RECORD),
  }
}

const BROKEN_DMARC: ReadonlySet<string> = new Set([
  'dmarc.multiple-records',
  'dmarc.near-miss',
  'dmarc.bad-tags',
])

/** RFC 7505 §3. A domain that may not even answer mail hardly takes any at its web address. */
function lockMx({ fix }: Finding, { mx, dmarc }: CheckReports): Pick<Finding, 'fix' | 'record'> {
  // Unless it is where its own reports go.
  const mailboxes = [...dmarc.rua, ...dmarc.ruf].map(({ uri }) => uri.toLowerCase())
  if (mailboxes.some((uri) => uri.includes(`@${mx.domain}`))) return { fix }
  return {
    fix: `Publish "${mx.domain} MX 0 .", which says that the domain accepts no mail, or, if it does, the MX records of its mailbox provider.`,
    record: { type: 'MX', name: mx.domain, value: '0 .' },
  }
}
