/** Findings and advice that depend on more than one check. */
import { NO_MAIL_DMARC_RECORD } from '../../checks/dmarc/rewrite-dmarc-record.js'
import {
  createFinding,
  deriveStatus,
  type Finding,
  proposeTxtRecord,
  txtEvidence,
} from '../../checks/finding.js'
import { createNamesNobody } from '../../checks/spf/judge-authorization.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { type CheckReports, effectiveTreatment, sendingProfile } from './check-reports.js'
import { hasNoMailRecords, NO_MAIL_SPF_RECORD, NULL_MX_VALUE } from './no-mail.js'

/** Not a fault of a domain that sends no mail. */
const IGNORED_WHEN_NOT_SENDING: ReadonlySet<string> = new Set([
  'mx.missing',
  'dkim.missing',
  'dkim.unknown',
  'dkim.unknown-selector',
  'dkim.revoked',
])

/** Below an enforced policy, a name without mail needs no mail server either. */
const IGNORED_WHEN_COVERED: ReadonlySet<string> = new Set([
  ...IGNORED_WHEN_NOT_SENDING,
  'mx.implicit',
])

export function judgeAcrossChecks(reports: CheckReports): CheckReports {
  const { mx, spf, dmarc, dkim } = reports
  const adapt = (issues: readonly Finding[]) => adaptFindings(issues, reports)
  return {
    mx: withIssues(mx, [...adapt(mx.issues), ...nullMxButSending(reports)]),
    spf: withIssues(spf, [
      ...adapt(spf.issues),
      ...declaredButSending(reports),
      ...softfailWithoutDmarc(reports),
    ]),
    dmarc: withIssues(dmarc, [...adapt(dmarc.issues), ...rejectWithoutDkim(reports)]),
    dkim: withIssues(dkim, adapt(dkim.issues)),
  }
}

function adaptFindings(issues: readonly Finding[], reports: CheckReports): Finding[] {
  switch (sendingProfile(reports)) {
    case 'non-sending':
      return issues
        .filter(({ id }) => !IGNORED_WHEN_NOT_SENDING.has(id))
        .map((finding) => adviseNonSending(finding, reports))
    case 'covered':
      return issues
        .filter(({ id }) => !IGNORED_WHEN_COVERED.has(id))
        .map((finding) => adviseCovered(finding, reports))
    case 'sending': {
      const adapted = issues
        .map((finding) => withoutHarmfulRecord(finding, reports))
        .map((finding) => adviseUndecidedDkim(finding, reports))
      return isUnreachable(reports)
        ? adapted.map((finding) => adviseUnreachable(finding, reports))
        : adapted
    }
  }
}

/** Findings whose record makes senders valid that no receiver accepts today. */
const NAMING_SENDERS: ReadonlySet<string> = new Set(['spf.multiple-records', 'spf.missing'])

/**
 * A record that one check proposes may contradict another: `p=reject` without DKIM loses forwarded
 * mail (RFC 9989 §8.5), `p=quarantine` without DKIM and usable SPF loses all mail, and SPF senders
 * contradict a null MX (RFC 7505 §4.2).
 */
function withoutHarmfulRecord(finding: Finding, { mx, spf, dmarc, dkim }: CheckReports): Finding {
  if (!finding.record) return finding
  const { value } = finding.record
  const asksFor = (policy: string) => new RegExp(`^v=DMARC1;.* (?:p|sp|np)=${policy}`).test(value)
  const passesSpf = spf.authorizesSenders && spf.allResult !== null
  const losesMail =
    dkim.presence === 'absent' &&
    dmarc.policy !== 'reject' &&
    (asksFor('reject') || (!passesSpf && dmarc.policy !== 'quarantine' && asksFor('quarantine')))
  const enablesSenders = mx.nullMx && NAMING_SENDERS.has(finding.id) && value !== 'v=spf1 -all'
  if (!losesMail && !enablesSenders) return finding
  const { record, ...rest } = finding
  return rest
}

/** SPF says that no server sends, and a DKIM key says that some do. */
function declaredButSending(reports: CheckReports): Finding[] {
  const { spf } = reports
  if (!spf.declaresNoSenders || sendingProfile(reports) !== 'sending') return []
  const evidence = spf.record === null ? [] : [txtEvidence(spf.domain, spf.record)]
  return [
    createNamesNobody(
      spf.domain,
      null,
      evidence,
      'If the domain sends no mail, delete its DKIM keys, and keep "v=spf1 -all".',
    ),
  ]
}

/** No authorized sender, and neither an MX record nor an address that could receive replies. */
function isUnreachable({ mx, spf }: CheckReports): boolean {
  return !spf.authorizesSenders && mx.issues.some(({ id }) => id === 'mx.missing')
}

function withIssues<Report extends { issues: Finding[]; status: string }>(
  report: Report,
  issues: readonly Finding[],
): Report {
  return { ...report, status: deriveStatus(issues), issues: [...issues] }
}

function nullMxButSending({ mx, spf }: CheckReports): Finding[] {
  if (!mx.nullMx || !spf.authorizesSenders) return []
  return [
    createFinding(
      'mx.null-but-sending',
      {
        title: 'The domain sends mail, but its null MX says that it accepts none',
        detail:
          'Some receivers refuse mail from a domain that accepts none, because replies and bounces cannot be delivered.',
        fix: `Publish the MX records of the mailbox provider of ${mx.domain}. If the domain sends no mail, change its SPF record to "v=spf1 -all" instead.`,
      },
      [
        { name: mx.domain, type: 'MX', value: NULL_MX_VALUE },
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
        title: 'SPF ends in "~all", and no DMARC policy enforces it',
        detail:
          'A soft fail only marks forged mail as suspicious. "~all" is fine once DMARC is enforced, but today it is not.',
        fix: 'Move DMARC to "p=quarantine" and then "p=reject" once the reports show that all your mail passes. Leave "~all" as it is.',
      },
      spf.records.map((text) => txtEvidence(spf.domain, text)),
    ),
  ]
}

/** RFC 9989 §8.5: forwarding breaks SPF, so "p=reject" must not rely on SPF alone. */
function rejectWithoutDkim(reports: CheckReports): Finding[] {
  const { dmarc, dkim } = reports
  const isAtRisk =
    dmarc.policy === 'reject' && dkim.presence === 'absent' && sendingProfile(reports) === 'sending'
  if (!isAtRisk) return []
  return [
    createFinding(
      'dmarc.reject-without-dkim',
      {
        title: 'DMARC rejects, but no mail is signed with DKIM',
        detail:
          'Mail passes DMARC only via SPF, and SPF breaks when mail is forwarded. Your forwarded mail is rejected.',
        fix: `Set up DKIM for ${dkim.domain} at every service that sends for it. Until then, "p=quarantine" loses less of your mail.`,
      },
      dmarc.record === null || dmarc.recordName === null
        ? []
        : [txtEvidence(dmarc.recordName, dmarc.record)],
    ),
  ]
}

type Advice = (finding: Finding, reports: CheckReports) => Pick<Finding, 'fix' | 'record'>

/** Fixes that replace the general one when the domain sends no mail. */
const NON_SENDING_ADVICE: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['spf.missing', adviseSpfRejectAll],
  ['dmarc.missing', adviseDmarcReject],
  ['dmarc.policy-none', adviseStricterPolicy],
  ['dmarc.policy-quarantine', adviseStricterPolicy],
  ['mx.implicit', adviseNullMx],
  ['spf.neutral-all', adviseStrictAll],
  ['spf.no-all', adviseStrictAll],
])

/** For a domain that names no sender and cannot receive replies. */
function adviseUnreachable(finding: Finding, reports: CheckReports): Finding {
  if (finding.id === 'dmarc.missing') return adviseUndecidedDmarc(finding, reports)
  return NON_SENDING_ADVICE.get(finding.id) === adviseStrictAll
    ? adviseNonSending(finding, reports)
    : finding
}

/** Only the owner knows whether it sends; a mailbox at the domain itself cannot exist. */
function adviseUndecidedDmarc(
  { record: _, ...finding }: Finding,
  { dmarc }: CheckReports,
): Finding {
  if (dmarc.issues.some(({ id }) => BROKEN_DMARC.has(id))) return finding
  const name = `_dmarc.${dmarc.domain}`
  return {
    ...finding,
    fix: `If ${dmarc.domain} sends no mail, publish "v=spf1 -all" and "MX 0 ." at ${dmarc.domain}, and "${NO_MAIL_DMARC_RECORD}" at ${name}. If it does send, publish at ${name}: "v=DMARC1; p=none; rua=mailto:<a mailbox that receives mail>".`,
  }
}

function adviseUndecidedDkim(finding: Finding, reports: CheckReports): Finding {
  if (finding.id !== 'dkim.missing' || !hasNoMailRecords(reports)) return finding
  const { domain } = reports.dkim
  return {
    ...finding,
    fix: `If ${domain} sends mail, turn on DKIM signing at your mail service and publish the record that it shows at <selector>._domainkey.${domain}. If it sends none, it needs no key.`,
  }
}

/** The parent's policy already applies, so a record of its own is only a second line of defense. */
function adviseCovered(finding: Finding, { spf, dmarc }: CheckReports): Finding {
  if (finding.id !== 'spf.missing') return finding
  const { record: _, ...rest } = finding
  return {
    ...rest,
    severity: 'info',
    detail: `${spf.domain} has no mail records, and the DMARC policy of ${dmarc.organizationalDomain} (${dmarc.policy}) applies to forged mail. Receivers that check only SPF cannot detect it.`,
    fix: `No change is needed. Optional, if ${spf.domain} sends no mail: "${spf.domain} TXT ${NO_MAIL_SPF_RECORD}" says so to receivers that check only SPF.`,
  }
}

function adviseNonSending(finding: Finding, reports: CheckReports): Finding {
  // A domain without mail has no mailbox for reports, and nothing of its own to learn from them.
  if (finding.id === 'dmarc.no-reports') return { ...finding, severity: 'info' }
  const advise = NON_SENDING_ADVICE.get(finding.id)
  if (!advise) return finding
  const { record: _, ...rest } = finding
  return { ...rest, ...advise(finding, reports) }
}

/** Without an SPF record, only a null MX makes a domain non-sending. */
function adviseSpfRejectAll(
  { fix }: Finding,
  { spf }: CheckReports,
): Pick<Finding, 'fix' | 'record'> {
  // The repaired record would authorize a sender and contradict the null MX: the owner has to choose.
  if (spf.issues.some(({ id }) => id === 'spf.near-miss' || id === 'spf.type-99')) return { fix }
  if (spf.aliasOf !== null) return { fix }
  return {
    fix: `Publish "${spf.domain} TXT ${NO_MAIL_SPF_RECORD}": the null MX says that the domain has no mail, so no server should send for it. If a service does send for it, name that service in the record instead.`,
    ...proposeTxtRecord(spf.domain, NO_MAIL_SPF_RECORD),
  }
}

/** "~all" protects senders that are not listed yet; this domain has none. */
function adviseStrictAll(
  { fix, record }: Finding,
  { spf }: CheckReports,
): Pick<Finding, 'fix' | 'record'> {
  if (!record) return { fix }
  const value = record.value.replace(/~all(?= |$)/, '-all')
  return {
    fix: `End the record of ${spf.domain} in "-all": "${value}". It authorizes no sender. If a service does send for the domain, name it before "-all".`,
    record: { ...record, value },
  }
}

const BROKEN_DMARC: ReadonlySet<string> = new Set([
  'dmarc.multiple-records',
  'dmarc.near-miss',
  'dmarc.bad-tags',
])

/** A broken record keeps its own fix, which repairs it as intended. */
function adviseDmarcReject(
  missing: Finding,
  { dmarc }: CheckReports,
): Pick<Finding, 'fix' | 'record'> {
  const isBroken = dmarc.issues.some(({ id }) => BROKEN_DMARC.has(id))
  if (isBroken) return { fix: missing.fix, ...(missing.record && { record: missing.record }) }
  const name = `_dmarc.${dmarc.domain}`
  const isAlias = dmarc.issues.some(
    ({ id, evidence }) => id === 'dmarc.dangling-cname' && evidence[0]?.name === name,
  )
  return {
    fix: `Publish at ${name}${isAlias ? ', in place of the CNAME' : ''}: "${NO_MAIL_DMARC_RECORD}". The domain sends no mail, so none of your mail can be lost.`,
    // RFC 1034 §3.6.2: no TXT record can exist beside a CNAME. Below a registrable domain, names
    // under this one may follow the record of a parent instead (RFC 9989 §4.10.1).
    ...(!isAlias &&
      registrableDomain(dmarc.domain) === dmarc.domain &&
      proposeTxtRecord(name, NO_MAIL_DMARC_RECORD)),
  }
}

/** Without mail of its own, nothing is lost by rejecting at once. */
function adviseStricterPolicy(
  { fix }: Finding,
  { dmarc }: CheckReports,
): Pick<Finding, 'fix' | 'record'> {
  const isOwn = dmarc.recordName === `_dmarc.${dmarc.domain}` && !dmarc.inherited
  const isUnclear = dmarc.issues.some(({ id }) => BROKEN_DMARC.has(id) || id === 'dmarc.cname')
  if (!isOwn || isUnclear) return { fix }
  return {
    fix: `Change the policy in the record at ${dmarc.recordName} to p=reject, without sp, np, t and pct. The domain sends no mail, so none of your mail can be lost.`,
  }
}

function adviseNullMx(
  { fix }: Finding,
  { mx, spf, dmarc }: CheckReports,
): Pick<Finding, 'fix' | 'record'> {
  // RFC 1034 §3.6.2: no other record can exist beside a CNAME.
  if (spf.aliasOf !== null) return { fix }
  // Reports may be sent to the domain itself.
  const mailboxes = [...dmarc.rua, ...dmarc.ruf].map(({ uri }) => uri.toLowerCase())
  if (mailboxes.some((uri) => uri.includes(`@${mx.domain}`))) return { fix }
  return {
    fix: `Publish "${mx.domain} MX ${NULL_MX_VALUE}", which says that the domain accepts no mail. If mail arrives at its own server today, publish "${mx.domain} MX 10 ${mx.domain}" instead. If it has a mailbox provider, publish the MX records of that provider instead.`,
    record: { type: 'MX', name: mx.domain, value: NULL_MX_VALUE },
  }
}
