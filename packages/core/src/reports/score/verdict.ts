/** The answer to "Am I safe?" in words, for pages, pictures and the command line. */
import { type Finding, STATUSES } from '../../checks/finding.js'
import {
  allowsEveryone,
  assessSpoofability,
  type CheckReports,
  effectiveTreatment,
  findGaps,
  findingsBySeverity,
  isGap,
  type Spoofable,
  sendingProfile,
} from '../check/check-reports.js'
import { describeLoss } from '../check/own-mail.js'
import { calculateScore, toGrade } from './calculate-score.js'
import type { ScoreReport } from './score-report.js'

export interface Verdict {
  readonly status: (typeof STATUSES)[number]
  readonly spoofable: Spoofable
  /** A word or two, for a mark or a badge. */
  readonly label: string
  /** One sentence, to the owner. */
  readonly answer: string
  /** The same to people who read about a domain of others. */
  readonly statement: string
  /** What the answer means for the owner, in one or two sentences. */
  readonly meaning: string
}

/** Takes reports that were judged together. */
export function describeVerdict(reports: CheckReports): Verdict {
  const findings = findingsBySeverity(reports)
  const spoofable = assessSpoofability(reports)
  const grade = toGrade(calculateScore(reports).score)
  const isKeyUnknown = reports.dkim.presence === 'unknown' && sendingProfile(reports) === 'sending'
  const status = verdictStatus({ spoofable, grade, findings, isKeyUnknown })
  return {
    status,
    spoofable,
    ...describeAnswer(reports, { status, spoofable, findings, isKeyUnknown }),
  }
}

type LabeledAnswer = Omit<Verdict, 'status' | 'spoofable'>

interface VerdictFacts extends Pick<Verdict, 'status' | 'spoofable'> {
  readonly findings: readonly Finding[]
  readonly isKeyUnknown: boolean
}

function describeAnswer(reports: CheckReports, facts: VerdictFacts): LabeledAnswer {
  const { spoofable, findings } = facts
  const loss = describeLoss(reports)
  if (loss) return { label: 'Loses mail', ...describeLost(reports, loss) }
  if (spoofable === 'yes') return { label: 'Exposed', ...describeExposure(reports) }
  // Receivers treat a tested quarantine like no policy (RFC 9989 §4.7).
  if (effectiveTreatment(reports.dmarc) === 'none') return { label: 'Exposed', ...TEST_MODE }
  const severe = findings.find((finding) => countsAgainstDomain(finding) && !isGap(finding))
  if (severe) return { label: 'Needs repair', ...describeRisk(reports, severe) }
  return describeProtected(reports, facts)
}

function describeProtected(
  reports: CheckReports,
  { status, spoofable, isKeyUnknown }: VerdictFacts,
): LabeledAnswer {
  if (spoofable === 'partly') {
    const label = status === 'fail' ? 'Needs repair' : 'Partly protected'
    return { label, ...describePartly(reports) }
  }
  if (isKeyUnknown) return { label: 'DKIM unknown', ...UNKNOWN_KEY }
  return status === 'pass'
    ? { label: 'Protected', ...describeProtection(reports) }
    : { label: 'Needs work', ...describeWork(reports) }
}

/** That mail is lost today comes before everything else. */
function describeLost(reports: CheckReports, loss: string): Answer {
  const { domain } = reports.mx
  return {
    answer: `${loss}.`,
    statement: `${loss}.`,
    meaning: `It uses @${domain} in From but passes neither SPF nor DKIM for it, so your DMARC policy applies to your own mail.`,
  }
}

interface StatusCauses extends Pick<ScoreReport, 'spoofable' | 'grade'> {
  readonly findings: readonly Pick<Finding, 'id' | 'severity'>[]
  /** The domain sends mail, and we found no key and no proof that there is none. */
  readonly isKeyUnknown: boolean
}

/** The color of every verdict and score. The grade counts too, so they always agree. */
export function verdictStatus(causes: StatusCauses): Verdict['status'] {
  const { spoofable, grade, findings, isKeyUnknown } = causes
  const statuses: Verdict['status'][] = [
    SPOOFABLE_STATUSES[spoofable],
    GRADE_STATUSES[grade],
    isKeyUnknown || findings.some(countsAgainstDomain) ? 'warn' : 'pass',
  ]
  return STATUSES.findLast((status) => statuses.includes(status)) ?? 'pass'
}

const SPOOFABLE_STATUSES = { no: 'pass', partly: 'warn', yes: 'fail' } as const
const GRADE_STATUSES = { A: 'pass', B: 'warn', C: 'warn', D: 'fail', F: 'fail' } as const

/** The selector of a caller may be a guess, and says nothing about the domain then. */
function countsAgainstDomain({ id, severity }: Pick<Finding, 'id' | 'severity'>): boolean {
  const isSevere = severity === 'critical' || severity === 'high'
  return isSevere && id !== 'dkim.selector-not-found'
}

type Answer = Pick<Verdict, 'answer' | 'statement' | 'meaning'>

function describeExposure(reports: CheckReports): Answer {
  return {
    answer: 'No, you’re not protected yet.',
    statement: 'Anyone can send email as this domain.',
    meaning: explainExposure(reports),
  }
}

function explainExposure(reports: CheckReports): string {
  const { domain, policy } = reports.dmarc
  if (allowsEveryone(reports)) {
    return `SPF lets every server send as @${domain}, so receivers can’t tell forged mail from yours.`
  }
  const reason =
    policy === null
      ? 'No DMARC policy asks receivers to stop it.'
      : 'Your DMARC policy is “none”, which only asks for reports.'
  return `Anyone can send email that seems to come from @${domain}, and it can reach the inbox. ${reason}`
}

const TEST_MODE: Answer = {
  answer: 'Not yet: your policy is in test mode.',
  statement: 'The policy against forged mail is in test mode.',
  meaning: 'Forged mail can still reach the inbox, as if there were no policy.',
}

function describePartly(reports: CheckReports): Answer {
  return effectiveTreatment(reports.dmarc) === 'quarantine'
    ? {
        answer: 'Almost: forged mail goes to spam.',
        statement: 'Forged mail goes to spam.',
        meaning: explainQuarantine(reports),
      }
    : {
        answer: 'Almost: some forged mail still gets through.',
        statement: SOME_GETS_THROUGH,
        meaning: explainGaps(reports),
      }
}

const SOME_GETS_THROUGH = 'Some forged mail still gets through.'

function explainQuarantine(reports: CheckReports): string {
  const folder = reports.dmarc.testing
    ? 'Your policy “reject” is in test mode, so receivers only move forged mail to the spam folder.'
    : 'Receivers move forged mail to the spam folder, where people can still open it. Under the policy “reject”, they refuse it.'
  const [gap] = findGaps(reports).filter(({ id }) => id !== 'dmarc.testing')
  return gap ? `${folder} Some still gets through because of this gap: “${gap.title}”.` : folder
}

function explainGaps(reports: CheckReports): string {
  const [first, ...others] = findGaps(reports)
  if (!first) {
    return 'Most receivers refuse forged mail. Some still follow an older standard and apply a weaker policy.'
  }
  const count =
    others.length === 0
      ? 'one gap is left'
      : `${others.length + 1} gaps are left, starting with this one`
  return `Your policy asks receivers to refuse forged mail, but ${count}: “${first.title}”.`
}

function describeProtection(reports: CheckReports): Answer {
  return {
    answer: 'Yes, forged mail is refused.',
    statement: 'Forged mail is refused.',
    meaning: explainProtection(reports),
  }
}

function explainProtection(reports: CheckReports): string {
  const { domain, organizationalDomain } = reports.dmarc
  switch (sendingProfile(reports)) {
    case 'non-sending':
      // A domain with mailboxes may have this SPF record by mistake.
      return reports.mx.records.length > 0 && !reports.mx.nullMx
        ? `Receivers refuse mail that claims to come from @${domain}. Your SPF record declares that the domain sends no mail, so if you do send from it, that mail is refused, too.`
        : `This domain sends no mail, and receivers refuse mail that claims to come from @${domain}.`
    case 'covered':
      return `${organizationalDomain}’s policy covers this name, so receivers refuse mail that claims to come from it.`
    case 'sending':
      return `Receivers refuse mail that claims to come from @${domain} but fails authentication.`
  }
}

const UNKNOWN_KEY: Answer = {
  answer: 'Forged mail is refused, but we don’t know your DKIM key.',
  statement: 'Forged mail is refused, but we don’t know the DKIM key.',
  meaning:
    'We couldn’t tell whether your own mail is signed (DKIM). Enter your selector to check it.',
}

const LOST_MAIL = 'mail you send may land in spam or be refused'
const RISKS: Readonly<Record<string, string>> = {
  spf: `Your list of allowed senders (SPF) needs work, so ${LOST_MAIL}.`,
  dkim: `Your signing keys (DKIM) need work, so ${LOST_MAIL}.`,
  dmarc: `Your policy (DMARC) needs work, so ${LOST_MAIL}.`,
  mx: 'Your mail servers (MX) need work, so mail to you may not arrive.',
}

/** A severe fault beside a policy that works is a risk for the domain's own mail. */
function describeRisk(reports: CheckReports, { id, title }: Finding): Answer {
  const treatment = describeTreatment(reports)
  const first = `Fix this first: “${title}”.`
  if (sendingProfile(reports) !== 'sending') {
    const answer = `${treatment}, but some settings need work.`
    return { answer, statement: answer, meaning: first }
  }
  const [area = ''] = id.split('.')
  return {
    answer: `${treatment}, but your own mail is at risk.`,
    statement: `${treatment}, but the domain’s own mail is at risk.`,
    meaning: `${RISKS[area] ?? ''} ${first}`.trimStart(),
  }
}

function describeWork(reports: CheckReports): Answer {
  const answer = `${describeTreatment(reports)}, but some settings need work.`
  return { answer, statement: answer, meaning: 'The list below shows what to fix first.' }
}

function describeTreatment(reports: CheckReports): string {
  if (effectiveTreatment(reports.dmarc) === 'quarantine') return 'Forged mail goes to spam'
  return assessSpoofability(reports) === 'no'
    ? 'Forged mail is refused'
    : 'Most forged mail is refused'
}
