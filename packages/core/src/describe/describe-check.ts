/** The check of a domain in words: the answer, the path of a forged message, what to fix. */
import type { DmarcPolicy } from '../checks/dmarc/dmarc-record.js'
import type { Finding } from '../checks/finding.js'
import {
  allowsEveryone,
  effectiveTreatment,
  findingsBySeverity,
  isActionable,
} from '../reports/check/check-reports.js'
import type { DomainReport } from '../reports/check/domain-report.js'
import {
  dkimStatus,
  dmarcStatus,
  MECHANISM_TITLES,
  summarizeMechanisms,
} from '../reports/check/mechanism-words.js'
import { isUndecided, noMailRecords } from '../reports/check/no-mail.js'
import { describeVerdict } from '../reports/score/verdict.js'
import type { StatusName } from '../reports/status-words.js'
import {
  describeDkim,
  describeDmarc,
  describeMx,
  describeTransport,
} from './describe-mechanisms.js'
import { describeSpf, type SpfDocument } from './describe-spf.js'
import {
  type Block,
  type BlockOf,
  documentTitle,
  findingsBlock,
  heading,
  type MechanismSection,
  notesBlocks,
  paragraph,
  type ReportDocument,
  withCode,
} from './document.js'

export interface CheckDocument extends ReportDocument {
  readonly verdict: BlockOf<'verdict'>
  readonly path: BlockOf<'path'>
  readonly ladder: PolicyLadder
  readonly tiles: BlockOf<'tiles'>
  /** Empty if nothing has to be fixed, or only the owner knows what. */
  readonly firstFix: readonly Block[]
  readonly fixes: readonly Block[]
  readonly notes: readonly Block[]
  readonly spf: SpfDocument
  /** After SPF. */
  readonly mechanisms: readonly MechanismSection[]
}

export function describeCheck(report: DomainReport): CheckDocument {
  const { dkim, dmarc, mx, transport } = report
  const { status, label, answer, meaning } = describeVerdict(report)
  const findings = findingsBySeverity(report)
  const faults = findings.filter(isActionable)
  const notes = [...findings.filter((finding) => !isActionable(finding)), ...transport.issues]
  const parts = {
    verdict: { kind: 'verdict', status, label, answer, meaning },
    path: describePath(report),
    tiles: describeTiles(report),
    firstFix:
      isUndecided(report) || faults.length === 0
        ? []
        : [heading('Fix this first', 'fixes'), findingsBlock(faults.slice(0, 1))],
    fixes: isUndecided(report) ? describeNoMail(report.domain, faults) : otherFixes(faults),
    notes: notesBlocks(notes),
    spf: describeSpf(report.spf),
  } as const
  return {
    ...documentTitle('', report),
    status,
    result: label,
    ...parts,
    ladder: describeLadder(report),
    mechanisms: [
      describeDkim(dkim, dkimStatus(report)),
      describeDmarc(dmarc, dmarcStatus(report)),
      describeMx(mx),
      describeTransport(transport),
    ],
    blocks: [
      parts.verdict,
      parts.path,
      parts.tiles,
      ...(parts.spf.lookups ? [parts.spf.lookups] : []),
    ],
    findings: [...parts.firstFix, ...parts.fixes, ...parts.notes],
  }
}

type PathStop = BlockOf<'path'>['stops'][number]

function describePath(report: DomainReport): BlockOf<'path'> {
  return {
    kind: 'path',
    title: 'What happens to a forged email today',
    stops: [
      { name: 'A scammer', text: `sends mail as boss@${report.domain}` },
      { name: 'SPF', ...spfStop(report) },
      { name: 'DKIM', ...dkimStop(report) },
      { name: 'DMARC', ...dmarcStop(report) },
      pathEnd(report),
    ],
  }
}

const SPF_STOPS = {
  pass: { text: 'lets every server pass', status: 'fail' },
  fail: { text: 'fails: this server isn’t on your list', status: 'pass' },
  softfail: { text: 'soft fail: looks suspicious but isn’t blocked', status: 'warn' },
  neutral: { text: 'doesn’t rule out this server', status: 'warn' },
} as const

function spfStop(report: DomainReport): Omit<PathStop, 'name'> {
  const { records, valid, allResult } = report.spf
  if (allowsEveryone(report)) return SPF_STOPS.pass
  if (records.length === 0) return { text: 'no list of allowed servers', status: 'fail' }
  if (!valid) return { text: 'broken: receivers can’t use your list', status: 'fail' }
  return SPF_STOPS[allResult ?? 'neutral']
}

function dkimStop({ dkim }: DomainReport): Omit<PathStop, 'name'> {
  return dkim.issues.some(({ id }) => id === 'dkim.weak-key')
    ? { text: 'someone may crack your short key and sign as you', status: 'fail' }
    : { text: 'no valid signature from your domain' }
}

function dmarcStop(report: DomainReport): Omit<PathStop, 'name'> {
  const { policy, testing } = report.dmarc
  if (allowsEveryone(report)) return { text: 'passes, because SPF passed', status: 'fail' }
  if (policy === null)
    return { text: 'no policy: each receiver decides for itself', status: 'fail' }
  const test = testing && policy !== 'none' ? ' in test mode' : ''
  const { order, end } = TREATMENTS[effectiveTreatment(report.dmarc)]
  return { text: `policy “${policy}”${test}: ${order}`, status: end.status }
}

const TREATMENTS = {
  none: {
    order: 'do nothing',
    end: { name: 'Delivered', text: 'It can reach the inbox', status: 'fail' },
  },
  quarantine: {
    order: 'move it to spam',
    end: { name: 'Spam folder', text: 'People may still open it', status: 'warn' },
  },
  reject: {
    order: 'refuse it',
    end: { name: 'Refused', text: 'It never arrives', status: 'pass' },
  },
} as const

function pathEnd(report: DomainReport): PathStop {
  return TREATMENTS[allowsEveryone(report) ? 'none' : effectiveTreatment(report.dmarc)].end
}

function describeTiles(report: DomainReport): BlockOf<'tiles'> {
  const summaries = summarizeMechanisms(report)
  return {
    kind: 'tiles',
    title: 'Your records',
    tiles: (['spf', 'dkim', 'dmarc', 'mx'] as const).map((id) => {
      const { status, words } = summaries[id]
      const names = { name: MECHANISM_TITLES[id], acronym: id.toUpperCase() }
      return { id, ...names, status, text: words }
    }),
  }
}

const LEVELS: readonly (readonly [DmarcPolicy | null, StatusName, string, string])[] = [
  [null, 'fail', 'No policy', 'Each receiver decides for itself'],
  ['none', 'fail', 'Monitor (none)', 'You get reports; nothing is blocked'],
  ['quarantine', 'warn', 'Quarantine', 'Forged mail goes to spam'],
  ['reject', 'pass', 'Reject', 'Forged mail is refused'],
]

/** The four levels of DMARC, with the one the domain is at. */
interface PolicyLadder {
  readonly title: string
  readonly levels: readonly {
    readonly name: string
    readonly effect: string
    /** Of the level the domain is at. */
    readonly status: StatusName | null
    readonly isDone: boolean
    readonly here: string | null
    readonly goal: string | null
  }[]
}

function describeLadder({ dmarc: { policy, testing } }: DomainReport): PolicyLadder {
  const here = LEVELS.findIndex(([level]) => level === policy)
  const isTest = testing && policy !== 'none'
  const levels = LEVELS.map(([level, status, name, effect], index) => ({
    name: `${index + 1}. ${name}`,
    effect,
    status: index === here ? status : null,
    isDone: index < here,
    here: index === here ? `You are here${isTest ? ', in test mode' : ''}` : null,
    goal: level === 'reject' ? (index === here ? 'Goal reached' : 'Goal') : null,
  }))
  return { title: 'How far along you are', levels }
}

/** All but the first. */
function otherFixes([first, ...others]: readonly Finding[]): Block[] {
  if (!first) return [heading('What to fix', 'fixes'), paragraph('Nothing.')]
  if (others.length === 0) return []
  const title = `Then fix ${others.length === 1 ? 'this' : `these ${others.length}`}`
  return [heading(title, 'then'), findingsBlock(others, 2)]
}

/** Only the owner of a domain without mail records knows which of the two is right. */
function describeNoMail(domain: string, faults: readonly Finding[]): Block[] {
  const conditions = [
    `no website, form, device, or service sends mail as \`${domain}\`,`,
    `no subdomain, such as \`news.${domain}\`, sends mail either, and`,
    `no one sends mail to addresses at \`${domain}\`.`,
  ]
  const effect = `They tell every mail server to refuse mail that claims to be from \`${domain}\`. Before you publish them, make sure that:`
  const yes = `Yes: fix ${faults.length === 1 ? 'this' : `these ${faults.length}`} instead`
  return [
    heading(`Does ${domain} send or receive mail?`, 'fixes'),
    heading('No: publish these three records', 'no-mail', 3),
    paragraph(withCode(effect)),
    { kind: 'list', items: conditions.map((it) => ({ text: withCode(it) })) },
    { kind: 'publish', records: noMailRecords(domain) },
    heading(yes, 'mail', 3),
    findingsBlock(faults),
  ]
}
