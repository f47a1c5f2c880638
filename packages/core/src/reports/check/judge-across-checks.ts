/** What shows only when the checks are seen side by side. */
import { createFinding, deriveStatus, type Finding, txtEvidence } from '../../checks/finding.js'
import { type CheckReports, effectiveTreatment, sendingProfile } from './check-reports.js'
import { adviseNonSending, adviseUnreachable } from './non-sending-advice.js'

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
