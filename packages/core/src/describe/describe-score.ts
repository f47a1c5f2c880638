/** The score in words: one number, its deductions, what to do first. */
import { SCORE_COMPONENTS } from '../reports/score/score-components.js'
import type { ScoreReport } from '../reports/score/score-report.js'
import { verdictStatus } from '../reports/score/verdict.js'
import type { StatusName } from '../reports/status-words.js'
import {
  type Block,
  type BlockOf,
  describeFindings,
  documentTitle,
  fact,
  factsBlock,
  paragraph,
  type ReportDocument,
} from './document.js'

export function describeScore(report: ScoreReport): ReportDocument {
  const { score, grade, summary, topFixes } = report
  const steps = topFixes.map(({ title, action, record, pointsGained }) => ({
    title: `${title} (+${pointsGained === 1 ? '1 point' : `${pointsGained} points`})`,
    text: action,
    record,
  }))
  const fixes: Block[] =
    topFixes.length === 0 ? [] : [{ kind: 'steps', title: 'What to do first', steps }]
  return {
    ...documentTitle('', report),
    status: scoreStatus(report),
    result: `${score} of 100, grade ${grade}`,
    blocks: [paragraph(summary), describeFacts(report), describePoints(report), ...fixes],
    findings: describeFindings(report.findings),
  }
}

function scoreStatus(report: ScoreReport): StatusName {
  const { profile, bulkSender } = report
  const isKeyUnknown = profile === 'sending' && bulkSender.unknown.includes('dkim')
  return verdictStatus({ ...report, isKeyUnknown })
}

const SPOOFABLE_WORDS = {
  no: 'No: the policy asks receivers to refuse forged mail, and we found no gaps.',
  partly: 'Partly: forged mail goes to the spam folder, or some of it still gets through.',
  yes: 'Yes: forged mail can reach the inbox.',
}

function describeFacts(report: ScoreReport): BlockOf<'facts'> {
  const { profile, spoofable, range } = report
  return factsBlock([
    fact('Can anyone forge mail from this domain?', SPOOFABLE_WORDS[spoofable]),
    profile === 'sending'
      ? fact('Gmail, Yahoo, and Outlook rules for bulk senders', describeBulkSender(report))
      : null,
    range.min === range.max
      ? null
      : fact('Possible scores (some answers are unknown)', `${range.min} to ${range.max}`),
  ])
}

function describeBulkSender({ bulkSender: { ready, missing, unknown } }: ScoreReport): string {
  if (ready) return 'All requirements met.'
  const list = (names: readonly string[]) => names.join(', ').toUpperCase()
  return [
    ...(missing.length > 0 ? [`Not met: ${list(missing)}.`] : []),
    ...(unknown.length > 0 ? [`Unknown: ${list(unknown)}.`] : []),
  ].join(' ')
}

function describePoints({ components, findings }: ScoreReport): BlockOf<'points'> {
  const titles = new Map(findings.map(({ id, title }) => [id, title]))
  const rows = SCORE_COMPONENTS.map((name) => {
    const { points, max, deductions } = components[name]
    const losses = deductions.map(({ id, points: lost }) => ({
      id,
      text: `−${lost}: ${titles.get(id) ?? id}`,
    }))
    return { name: name.toUpperCase(), points, max, words: `${points} of ${max}`, losses }
  })
  return { kind: 'points', title: 'Points', columns: ['Part', 'Points', 'Deductions'], rows }
}
