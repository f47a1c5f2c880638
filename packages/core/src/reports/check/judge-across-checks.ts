/** Findings and advice that depend on more than one check. */
import { findFacts } from '../../catalog/findings.js'
import {
  findServiceById,
  findServiceBySpfHost,
  findSigningLabel,
} from '../../catalog/mail-services.js'
import { placeAtCname } from '../../checks/dmarc/dmarc-advice.js'
import { NO_MAIL_DMARC_RECORD } from '../../checks/dmarc/rewrite-dmarc-record.js'
import { deriveStatus, type Finding, proposeTxtRecord, txtEvidence } from '../../checks/finding.js'
import { type Found, found, judge, type Rule, writeFinding } from '../../checks/rule.js'
import type { Tree } from '../../checks/spf/spf-report.js'
import { isNeedless } from '../../checks/spf/spf-rule.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import {
  type CheckReports,
  effectiveTreatment,
  lostStreams,
  sendingProfile,
} from './check-reports.js'
import { hasNoMailRecords, NO_MAIL_SPF_RECORD, NULL_MX_VALUE } from './no-mail.js'
import { fateOf, nameSender } from './own-mail.js'

const MX_RULES: readonly Rule<CheckReports>[] = [
  ({ mx, spf }) => {
    if (!mx.nullMx || !spf.authorizesSenders) return null
    const nullMx = { name: mx.domain, type: 'MX', value: NULL_MX_VALUE }
    const evidence = [nullMx, ...spf.records.map((text) => txtEvidence(spf.domain, text))]
    return found('mx.null-but-sending', { domain: mx.domain }, { evidence })
  },
]

const SPF_RULES: readonly Rule<CheckReports>[] = [
  // SPF says that no server sends, and a DKIM key says that some do.
  (reports) => {
    const { domain, declaresNoSenders, record } = reports.spf
    if (!declaresNoSenders || sendingProfile(reports) !== 'sending') return null
    const evidence = record === null ? [] : [txtEvidence(domain, record)]
    return found('spf.names-nobody (declared)', { domain }, { evidence })
  },

  ({ spf, dmarc }) => {
    if (spf.allResult !== 'softfail' || effectiveTreatment(dmarc) !== 'none') return null
    const evidence = spf.records.map((text) => txtEvidence(spf.domain, text))
    return found('spf.softfail-without-dmarc', {}, { evidence })
  },
]

const DMARC_RULES: readonly Rule<CheckReports>[] = [
  // RFC 9989 §8.5: forwarding breaks SPF, so "p=reject" must not rely on SPF alone.
  (reports) => {
    const { record, recordName, inherited } = reports.dmarc
    const { domain, presence } = reports.dkim
    const isAtRisk =
      effectiveTreatment(reports.dmarc) === 'reject' &&
      presence === 'absent' &&
      sendingProfile(reports) === 'sending'
    if (!isAtRisk || record === null || recordName === null) return null
    const proof = { evidence: [txtEvidence(recordName, record)] }
    // The record of another name protects more than this domain, and is not the owner's to weaken.
    return inherited
      ? found('dmarc.reject-without-dkim (inherited)', { domain, name: recordName }, proof)
      : found('dmarc.reject-without-dkim', { domain }, proof)
  },

  // RFC 9989 §4.4: it wants the signature of exactly the domain in From.
  (reports) => {
    const { alignment, record, recordName: name, inherited } = reports.dmarc
    if (alignment?.dkim !== 'strict' || inherited || record === null || name === null) return null
    const services = findSignersBelow(reports)
    if (services.length === 0) return null
    const evidence = [txtEvidence(name, record)]
    return found(
      'dmarc.strict-alignment',
      { domain: reports.dkim.domain, services, name },
      { evidence },
    )
  },
]

/** Those that the domain may use, and whose signatures `adkim=s` refuses. */
function findSignersBelow({ streams, dkim: { domain } }: CheckReports): string[] {
  return streams.flatMap(({ id, at }) => {
    const service = findServiceById(id)
    return service && at === domain && findSigningLabel(service) !== null ? [service.name] : []
  })
}

const DKIM_RULES: readonly Rule<CheckReports>[] = [
  (reports) => {
    const lost = lostStreams(reports).filter((stream) => stream.dkim === 'none')
    if (lost.length === 0) return null
    const { domain } = reports.dkim
    const evidence = lost.flatMap(({ at, evidence: shownBy }) =>
      shownBy.map((text) => {
        const isServer = text.startsWith('MX ')
        return { name: at, type: isServer ? 'MX' : 'TXT', value: text.replace(/^MX /, '') }
      }),
    )
    const values = { domain, senders: lost.map(nameSender), fate: fateOf(lost) }
    return found('dkim.sender-unsigned', values, { evidence })
  },
]

export function judgeAcrossChecks(reports: CheckReports): CheckReports {
  const { mx, spf, dmarc, dkim, streams } = reports
  const ofStreams = judge(DKIM_RULES, reports)
  // That mail is lost says more than that a key was not found.
  const keyIssues = dkim.issues.filter(
    ({ id }) => ofStreams.length === 0 || id !== 'dkim.mailbox-provider-key-not-found',
  )
  const adapt = (issues: readonly Finding[]) => adaptFindings(issues, reports)
  return {
    mx: withIssues(mx, [...adapt(mx.issues), ...judge(MX_RULES, reports)]),
    spf: withIssues(spf, [...adapt(spf.issues), ...judge(SPF_RULES, reports)]),
    dmarc: withIssues(dmarc, [...adapt(dmarc.issues), ...judge(DMARC_RULES, reports)]),
    dkim: withIssues(dkim, [...adapt(keyIssues), ...ofStreams]),
    streams,
  }
}

function withIssues<Report extends { issues: Finding[]; status: string }>(
  report: Report,
  issues: Finding[],
): Report {
  return { ...report, status: deriveStatus(issues), issues }
}

function adaptFindings(issues: readonly Finding[], reports: CheckReports): Finding[] {
  const ignoredWhen = ({ id }: Finding) => findFacts(id)?.ignoredWhen
  switch (sendingProfile(reports)) {
    case 'non-sending':
      return issues
        .filter((finding) => ignoredWhen(finding) !== 'non-sending')
        .map((finding) => adviseNonSending(finding, reports))
    case 'covered':
      return issues
        .filter((finding) => ignoredWhen(finding) === undefined)
        .map((finding) => adviseCovered(finding, reports))
    case 'sending':
      return issues
        .map((finding) => withoutHarmfulRecord(finding, reports))
        .map((finding) => adviseUndecided(finding, reports))
        .map((finding) => adviseSigned(finding, reports))
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
  const enablesSenders = mx.nullMx && NAMING_SENDERS.has(finding.id) && value !== NO_MAIL_SPF_RECORD
  return losesMail || enablesSenders ? rewrite(finding, null) : finding
}

/** Only the owner knows whether a domain sends mail that names no sender. */
function adviseUndecided(finding: Finding, reports: CheckReports): Finding {
  const { mx, spf, dmarc, dkim } = reports
  if (finding.id === 'dkim.missing' && hasNoMailRecords(reports)) {
    return rewrite(finding, found('dkim.missing (undecided)', { domain: dkim.domain }))
  }
  // Neither an MX record nor an address could receive replies.
  const isUnreachable = !spf.authorizesSenders && mx.issues.some(({ id }) => id === 'mx.missing')
  if (!isUnreachable) return finding
  if (finding.id === 'dmarc.missing' && !isDmarcBroken(reports)) {
    return rewrite(finding, found('dmarc.missing (undecided)', { domain: dmarc.domain }))
  }
  return NON_SENDING_ADVICE.get(finding.id) === endStrictly
    ? adviseNonSending(finding, reports)
    : finding
}

/** Only a service without a key has to set up DKIM before its include goes. */
function adviseSigned(finding: Finding, { spf: { domain, tree }, streams }: CheckReports): Finding {
  if (finding.id !== 'spf.unaligned-include') return finding
  const needless = ownIncludes(tree).flatMap(({ term, domain: host }) => {
    const service = findServiceBySpfHost(host)
    return service && isNeedless(service, domain) ? [{ term: term ?? '', service }] : []
  })
  const maySign = (id: string) =>
    streams.some((stream) => stream.id === id && stream.dkim !== 'none')
  const values = {
    domain,
    terms: needless.map(({ term }) => term),
    services: needless.map(({ service }) => service.name),
    unsigned: needless.flatMap(({ service: { id, name } }) => (maySign(id) ? [] : [name])),
    places: [...new Set(finding.evidence.map(({ name }) => name))],
  }
  const isSigned = values.unsigned.length === 0
  const key = isSigned ? 'spf.unaligned-include (signed)' : 'spf.unaligned-include'
  return rewrite(finding, found(key, values))
}

/** What the domain's own records include, and those of the domain that they lead to. */
function ownIncludes({ domain, children }: Tree): Tree[] {
  const isOwn = (child: Tree) =>
    findServiceBySpfHost(child.domain) === null &&
    (registrableDomain(child.domain) === registrableDomain(domain) ||
      child.term?.startsWith('redirect='))
  return children.flatMap((child) => [child, ...(isOwn(child) ? ownIncludes(child) : [])])
}

/** The parent's policy already applies, so a record of its own is only a second line of defense. */
function adviseCovered(finding: Finding, { spf, dmarc }: CheckReports): Finding {
  if (finding.id !== 'spf.missing') return finding
  const { organizationalDomain: organization, policy } = dmarc
  const words = found('spf.missing (covered)', { domain: spf.domain, organization, policy })
  return { ...rewrite(finding, words), severity: 'info' }
}

function adviseNonSending(finding: Finding, reports: CheckReports): Finding {
  // A domain without mail has no mailbox for reports, and nothing of its own to learn from them.
  if (finding.id === 'dmarc.no-reports') return { ...finding, severity: 'info' }
  const advise = NON_SENDING_ADVICE.get(finding.id)
  return advise ? rewrite(finding, advise(reports, finding)) : finding
}

/** The finding in other words, or in the same, but with no record of its own in both cases. */
function rewrite({ record: _, ...finding }: Finding, words: Found | null): Finding {
  return words ? writeFinding({ ...words, evidence: finding.evidence }) : finding
}

/** Null where the general words fit, but no record. */
type Advice = (reports: CheckReports, finding: Finding) => Found | null

/** Without an SPF record, only a null MX makes a domain non-sending. */
const rejectAllSenders: Advice = ({ spf: { domain, issues, aliasOf } }) => {
  // The repaired record would authorize a sender and contradict the null MX: the owner has to choose.
  const isMeant = issues.some(({ id }) => id === 'spf.near-miss' || id === 'spf.type-99')
  if (isMeant || aliasOf !== null) return null
  return found('spf.missing (no-mail)', { domain }, proposeTxtRecord(domain, NO_MAIL_SPF_RECORD))
}

/** "~all" protects senders that are not listed yet; this domain has none. */
const endStrictly: Advice = ({ spf: { domain } }, { id, record: proposed }) => {
  if (!proposed) return null
  const record = proposed.value.replace(/~all(?= |$)/, '-all')
  const key = id === 'spf.no-all' ? 'spf.no-all (no-mail)' : 'spf.neutral-all (no-mail)'
  return found(key, { domain, record }, { record: { ...proposed, value: record } })
}

const BROKEN_DMARC: ReadonlySet<string> = new Set([
  'dmarc.multiple-records',
  'dmarc.near-miss',
  'dmarc.bad-tags',
])

/** A broken record keeps its own fix, which repairs it as intended. */
function isDmarcBroken({ dmarc }: CheckReports): boolean {
  return dmarc.issues.some(({ id }) => BROKEN_DMARC.has(id))
}

const rejectForgedMail: Advice = (reports) => {
  const { domain, issues } = reports.dmarc
  if (isDmarcBroken(reports)) return null
  const name = `_dmarc.${domain}`
  const isAlias = issues.some(
    ({ id, evidence }) => id === 'dmarc.dangling-cname' && evidence[0]?.name === name,
  )
  const place = isAlias ? placeAtCname(name, null) : name
  // RFC 1034 §3.6.2: no TXT record can exist beside a CNAME. Below a registrable domain, names
  // under this one may follow the record of a parent instead (RFC 9989 §4.10.1).
  const isPossible = !isAlias && registrableDomain(domain) === domain
  return found(
    'dmarc.missing (no-mail)',
    { domain, place },
    isPossible ? proposeTxtRecord(name, NO_MAIL_DMARC_RECORD) : {},
  )
}

/** Without mail of its own, nothing is lost by rejecting at once. */
const makeStricter: Advice = (reports, { id }) => {
  const { domain, recordName: name, inherited, issues } = reports.dmarc
  const isOwn = name === `_dmarc.${domain}` && !inherited
  const isAlias = issues.some((issue) => issue.id === 'dmarc.cname')
  if (!isOwn || isAlias || isDmarcBroken(reports)) return null
  const isNone = id === 'dmarc.policy-none'
  return found(isNone ? 'dmarc.policy-none (no-mail)' : 'dmarc.policy-quarantine (no-mail)', {
    domain,
    name,
  })
}

const refuseAllMail: Advice = ({ mx: { domain }, spf, dmarc }) => {
  // RFC 1034 §3.6.2: no other record can exist beside a CNAME.
  if (spf.aliasOf !== null) return null
  // Reports may be sent to the domain itself.
  const mailboxes = [...dmarc.rua, ...dmarc.ruf].map(({ uri }) => uri.toLowerCase())
  if (mailboxes.some((uri) => uri.includes(`@${domain}`))) return null
  const record = { type: 'MX' as const, name: domain, value: NULL_MX_VALUE }
  return found('mx.implicit (no-mail)', { domain }, { record })
}

const NON_SENDING_ADVICE: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['spf.missing', rejectAllSenders],
  ['dmarc.missing', rejectForgedMail],
  ['dmarc.policy-none', makeStricter],
  ['dmarc.policy-quarantine', makeStricter],
  ['mx.implicit', refuseAllMail],
  ['spf.neutral-all', endStrictly],
  ['spf.no-all', endStrictly],
])
