/** What aggregate reports and messages add to a plan. */
import { createReadStream } from 'node:fs'
import {
  ALL_SERVICES,
  type FixPlan,
  MAX_GIVEN_SELECTORS,
  parseDomainInput,
  parseSelector,
  parseServiceIds,
  type StreamEvidence,
} from '@mailgrade/core'
import {
  type AggregateSummary,
  type RolloutVerdict,
  readMessageEvidence,
  streamEvidence,
} from '@mailgrade/dmarc-reports'
import { type CommandContext, STDIN, UsageError } from '../command-line/command.js'
import { toReadProblem } from '../command-line/input-file.js'
import { type Layout, wrapText } from '../terminal/layout.js'
import { countOf, dateOf, percentOf, printable } from './aggregate-words.js'
import { readReports, type SourceAnswers } from './read-reports.js'

export interface EvidenceInputs extends SourceAnswers {
  readonly reports?: readonly string[] | undefined
  readonly message?: readonly string[] | undefined
}

interface PlanAnswers {
  readonly selectors: readonly string[]
  readonly uses?: readonly string[] | undefined
  readonly unused?: readonly string[] | undefined
}

/** The answers of the owner, with what the evidence adds to them. */
interface AnswersWithEvidence extends PlanAnswers {
  readonly evidence: readonly StreamEvidence[]
}

export interface PlanEvidence {
  addTo(domain: string, answers: PlanAnswers): AnswersWithEvidence
  /** For the end of the plan; null where there's nothing to say. */
  blocks(plan: FixPlan, answers: PlanAnswers, layout: Layout): (string | null)[]
}

/** Throws a usage error if nothing given is about one of the domains. */
export async function readPlanEvidence(
  subjects: readonly string[],
  { reports = [], message = [], ...answers }: EvidenceInputs,
  context: CommandContext,
): Promise<PlanEvidence> {
  if ([...reports, ...message].filter((path) => path === STDIN).length > 1) {
    throw new UsageError('Standard input can be read only once. Use - only once.')
  }
  const domains = subjects.flatMap(domainOf)
  const messages: StreamEvidence[] = []
  for (const path of message) messages.push(await readMessage(path, domains, context))
  const summary = reports.length > 0 ? await readReports(reports, answers, context) : null
  const reported = summary?.domains.flatMap(streamEvidence) ?? []
  if (summary) checkDomains(summary, reported, domains)
  const about = (domain: string) =>
    [...reported, ...messages].filter(({ at }) => isAtOrBelow(at, domain))

  function addTo(subject: string, given: PlanAnswers): AnswersWithEvidence {
    const [domain = ''] = domainOf(subject)
    const evidence = about(domain)
    const { selectors, serviceIds } = findAdditions(evidence, domain, given)
    return {
      ...given,
      selectors: [...given.selectors, ...selectors],
      uses: [...(given.uses ?? []), ...serviceIds],
      evidence,
    }
  }

  function blocks(plan: FixPlan, given: PlanAnswers, layout: Layout): (string | null)[] {
    const evidence = about(plan.domain)
    const verdict = summary?.domains.find(({ domain }) => domain === plan.domain)?.rollout ?? null
    return [
      proofText('The reports prove:', evidence, 'reports', layout),
      proofText('The message proves:', evidence, 'message', layout),
      additionsText(findAdditions(evidence, plan.domain, given), layout),
      contradictionText(evidence, given, layout),
      conditionsText(plan, verdict, layout),
    ]
  }

  return { addTo, blocks }
}

function domainOf(subject: string): string[] {
  const parsed = parseDomainInput(subject, { exact: false, allowPrivateNames: true })
  return parsed.kind === 'refused' ? [] : [parsed.domain]
}

function isAtOrBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`)
}

/** Headers that are longer are refused anyway. */
const MAX_MESSAGE_BYTES = 300_000

async function readMessage(
  path: string,
  domains: readonly string[],
  { stdin }: CommandContext,
): Promise<StreamEvidence> {
  const read = await readMessageEvidence(
    path === STDIN ? await readStart(stdin) : await readFileStart(path),
  )
  const shown = path === STDIN ? 'Standard input' : path
  if (read.kind !== 'evidence') {
    throw new UsageError(
      `${shown} ${read.kind === 'too-large' ? 'has headers that are too long.' : 'doesn’t have exactly one address in From. Pass a message as your mail program saves it, or its headers.'}`,
    )
  }
  const { at } = read.evidence
  if (!domains.some((domain) => isAtOrBelow(at, domain))) {
    throw new UsageError(
      `${shown} is from ${printable(at)}, so it says nothing about ${domains.join(', ')}.`,
    )
  }
  return read.evidence
}

async function readFileStart(path: string): Promise<Uint8Array> {
  try {
    return await readStart(createReadStream(path, { end: MAX_MESSAGE_BYTES }))
  } catch (error) {
    throw toReadProblem(error, path)
  }
}

async function readStart(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_MESSAGE_BYTES) break
  }
  return Buffer.concat(chunks)
}

function checkDomains(
  { domains: reported }: AggregateSummary,
  evidence: readonly StreamEvidence[],
  domains: readonly string[],
): void {
  const isAbout = (domain: string) =>
    reported.some((each) => isAtOrBelow(each.domain, domain)) ||
    evidence.some(({ at }) => isAtOrBelow(at, domain))
  if (domains.length === 0 || domains.some(isAbout)) return
  const names = reported.slice(0, MAX_SHOWN).map(({ domain }) => printable(domain))
  throw new UsageError(
    `The reports are about ${names.join(', ')}, so they say nothing about ${domains.join(', ')}.`,
  )
}

interface Additions {
  readonly selectors: readonly string[]
  readonly serviceIds: readonly string[]
}

/** Most messages first: the number of selectors is limited. */
function findAdditions(
  evidence: readonly StreamEvidence[],
  domain: string,
  { selectors: given, uses = [], unused = [] }: PlanAnswers,
): Additions {
  const seen = evidence
    .flatMap(({ keys }) => keys)
    .flatMap((key) => (key.domain === domain ? key.selector : []))
    .filter((selector) => parseSelector(selector, null).kind === 'selector')
  const services = evidence
    .filter(({ at, certainty }) => at === domain && certainty === 'certain')
    .flatMap(({ serviceId }) => serviceId ?? [])
    .filter((id) => parseServiceIds(id).kind !== 'refused')
  const room = Math.max(0, MAX_GIVEN_SELECTORS - given.length)
  return {
    selectors: without(seen, given).slice(0, room),
    serviceIds: without(services, [...uses, ...unused]),
  }
}

function without(names: readonly string[], others: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => !others.includes(name))
}

const MAX_SHOWN = 10

function proofText(
  title: string,
  evidence: readonly StreamEvidence[],
  from: StreamEvidence['from'],
  { columns }: Layout,
): string | null {
  const shown = evidence.filter((each) => each.from === from)
  if (shown.length === 0) return null
  const rest = shown.length - MAX_SHOWN
  return [
    title,
    ...shown
      .slice(0, MAX_SHOWN)
      .map((each) => wrapText(describeEvidence(each), columns, '  ', '- ')),
    ...(rest > 0 ? [`… and ${countOf(rest, 'more source', 'more sources')}`] : []),
  ].join('\n')
}

function describeEvidence(evidence: StreamEvidence): string {
  const { certainty, messages, spfAligned, dkimAligned } = evidence
  const name = printable(evidence.name)
  const at = printable(evidence.at)
  if (certainty === 'possible') {
    return `${name} may send as ${at}: ${countMessages(evidence)}. Only you can tell whether it’s yours.${evidence.from === 'reports' ? ' Add --mine <source> or --not-mine <source>.' : ''}`
  }
  return `${name} sends as ${at}: ${countOf(messages, 'message', 'messages')}. SPF passes for ${percentOf(spfAligned, messages)}, DKIM for ${percentOf(dkimAligned, messages)}.`
}

function countMessages({ messages, lastSeen }: StreamEvidence): string {
  const last = lastSeen === null ? '' : `, the last on ${dateOf(lastSeen)}`
  return `${countOf(messages, 'message', 'messages')}${last}`
}

function additionsText({ selectors, serviceIds }: Additions, { columns }: Layout): string | null {
  const lookedUp =
    selectors.length === 0
      ? []
      : [
          `looked up the DKIM ${selectors.length === 1 ? 'selector' : 'selectors'} ${selectors.join(', ')}`,
        ]
  const counted =
    serviceIds.length === 0 ? [] : [`counted ${serviceIds.map(serviceName).join(', ')} as yours`]
  const parts = [...lookedUp, ...counted]
  return parts.length === 0 ? null : wrapText(`So we also ${parts.join(', and ')}.`, columns, '')
}

function serviceName(id: string): string {
  return ALL_SERVICES.find((service) => service.id === id)?.name ?? id
}

function contradictionText(
  evidence: readonly StreamEvidence[],
  { unused = [] }: PlanAnswers,
  { columns }: Layout,
): string | null {
  const lines = evidence
    .filter(({ serviceId }) => serviceId !== null && unused.includes(serviceId))
    .map((each) =>
      wrapText(
        `You said that you no longer use ${printable(each.name)}, but it sent ${countMessages(each)}.`,
        columns,
        '',
      ),
    )
  return lines.length === 0 ? null : lines.join('\n')
}

const MARKS = { met: '✓', 'not-met': '✗', unknown: '?', 'only-you-know': '?' } as const

/** Reports may be about an earlier record, whose stage has other conditions. */
function conditionsText(
  { rollout: [stage] }: FixPlan,
  verdict: RolloutVerdict | null,
  { columns }: Layout,
): string | null {
  const judged = (stage?.proceedWhen ?? []).flatMap(
    (text) => verdict?.conditions.find((condition) => condition.text === text) ?? [],
  )
  if (judged.length === 0) return null
  return [
    'Conditions of the first stage, by your reports:',
    ...judged.map(({ status, text, why }) =>
      wrapText(why === null ? text : `${text} ${why}`, columns, '  ', `${MARKS[status]} `),
    ),
  ].join('\n')
}
