/**
 * Compares our results with mailauth's on random trees. Where they differ, RFC 9989 decides; where
 * it supports ours, the deviation is listed in `MAILAUTH_DEVIATIONS` with the reason.
 */
import { installMailauth, loadMailauth, type Mailauth } from '@mailgrade/testing/mailauth'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { checkDmarc } from '../../src/checks/dmarc/check-dmarc.js'
import type { DmarcReport } from '../../src/checks/dmarc/dmarc-report.js'
import { queryWalkSteps, treeWalkDomains } from '../../src/checks/dmarc/tree-walk.js'
import type { DomainName } from '../../src/names/domain-name.js'
import { type AuthenticatedMail, simulateRfc9989 } from '../../src/streams/simulate-dmarc.js'
import { classifyTree, policyDomainOfReport, TREE_KINDS } from './dmarc-tree-kinds.js'
import {
  createTreeDns,
  createTreeNodeResolver,
  type DmarcTree,
  randomDmarcTree,
  rewriteTreeRecords,
  withParentDomains,
} from './random-dmarc-tree.js'

let mailauth: Mailauth
beforeAll(() => {
  installMailauth()
  mailauth = loadMailauth()
})

const TREES = Number(process.env.ORACLE_TREES ?? 500)
const SEED = Number(process.env.ORACLE_SEED ?? 9_989)

/**
 * Where mailauth deviates from the RFC: how to rewrite a record so mailauth gives the RFC's result.
 * With these rewrites, every tree must give the same result.
 */
const MAILAUTH_DEVIATIONS: Readonly<Record<string, (text: string) => string>> = {
  // §4.8: a record starts with "v"; the grammar allows white space only around "=" and ";".
  'white space before the version makes it no DMARC record': (text) =>
    /^\s+v/i.test(text) ? 'no DMARC record' : text,
  // §4.8: a tag without a value is a syntax error and is ignored.
  'a word without a value does not unset the tag of that name': (text) =>
    text
      .split(';')
      .map((piece) => (piece.includes('=') ? piece : ''))
      .join(';'),
  // §4.8: white space is space and tab; a no-break space makes the value invalid.
  'a no-break space is not white space': (text) => text.replaceAll('=\xa0', '=?'),
  // RFC 6376 §3.2 forbids repeated tags; §4.7: bad syntax gives way to the default.
  'a tag that is repeated with different values does not count': (text) => {
    const pieces = text.split(';').map((piece) => piece.split('='))
    const nameOf = ([name = '']: string[]) => name.trim().toLowerCase()
    const contentOf = ([, ...value]: string[]) => value.join('=').trim().toLowerCase()
    const isKept = (piece: string[]) =>
      pieces.every((each) => nameOf(each) !== nameOf(piece) || contentOf(each) === contentOf(piece))
    return pieces
      .filter((piece, index) => index === 0 || isKept(piece))
      .map((piece) => piece.join('='))
      .join(';')
  },
}

/** The result of both sides for a tree. */
interface Outcome {
  readonly kind: 'temperror' | 'none' | 'policy'
  readonly recordName?: string
  readonly organizationalDomain?: string | null
  /** After test mode. */
  readonly policy?: string
  readonly record?: string
}

const counts = new Map<string, number>()
const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1)

test(`${TREES} random trees come out as in mailauth, ORACLE_SEED=${SEED}`, async () => {
  await fc.assert(fc.asyncProperty(randomDmarcTree, compare), { numRuns: TREES, seed: SEED })
  // Every kind of tree occurred often enough, and every deviation is still needed.
  const rare = [...TREE_KINDS, ...Object.keys(MAILAUTH_DEVIATIONS), ...EVENTS].filter(
    (what) => (counts.get(what) ?? 0) < 3,
  )
  expect(rare).toEqual([])
})

const MESSAGES = Number(process.env.ORACLE_MESSAGES ?? 2_000)

interface Message {
  readonly tree: DmarcTree
  readonly mail: AuthenticatedMail
}

/** SPF and signatures of the domain, of names around it, or of others. */
const randomMessage: fc.Arbitrary<Message> = randomDmarcTree.chain((tree) => {
  const parents = withParentDomains(tree.domain)
  const names = [...parents, ...parents.map((name) => `mail.${name}`), 'service.example']
  const name = fc.constantFrom(...names)
  return fc
    .record({
      spfDomain: fc.option(name),
      dkimDomains: fc.array(name, { maxLength: 2 }),
    })
    .map((authenticated) => ({ tree, mail: { from: tree.domain, ...authenticated } }))
})

test(`${MESSAGES} random messages come out as in mailauth, ORACLE_SEED=${SEED}`, async () => {
  const outcomes = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(randomMessage, async (message) => {
      const outcome = await compareMessage(message)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }),
    { numRuns: MESSAGES, seed: SEED },
  )
  const rare = ['pass', 'fail none', 'fail quarantine', 'fail reject', 'none'].filter(
    (outcome) => (outcomes.get(outcome) ?? 0) < 10,
  )
  expect(rare).toEqual([])
})

/** What both found: the result, and what happens to a message that fails. */
async function compareMessage({ tree, mail }: Message): Promise<string> {
  const { resolver } = asRead(tree, Object.keys(MAILAUTH_DEVIATIONS))
  const theirs = await mailauth.dmarc({
    headerFrom: [`x@${mail.from}`],
    spfDomains: mail.spfDomain === null ? [] : [mail.spfDomain],
    dkimDomains: mail.dkimDomains,
    resolver,
  })
  // With a failed query, one side may know less than the other.
  if (!theirs || theirs.status.result === 'temperror') return 'temperror'
  const { result } = theirs.status
  const names = [mail.from, mail.spfDomain ?? [], ...mail.dkimDomains].flat()
  const walked = [...new Set(names.flatMap(treeWalkDomains))]
  const ours = simulateRfc9989(
    {
      steps: await queryWalkSteps(createTreeDns(tree), walked),
      isNonexistent: (name) => name === tree.domain && tree.domainNode.kind === 'nxdomain',
    },
    mail,
  )
  if (result === 'none') {
    expect(ours?.policy).toBe(null)
    return result
  }
  expect(ours).toMatchObject({
    passes: result === 'pass',
    treatment: result === 'pass' ? 'none' : theirs.policy,
  })
  return result === 'pass' ? result : `${result} ${theirs.policy}`
}

const EVENTS = [
  'temperror',
  'unknown domain',
  'existence not known',
  'existing subdomain',
  'non-existent subdomain',
  'external destination',
  'internal destination',
]

async function compare(tree: DmarcTree): Promise<void> {
  const theirs = await theirOutcome(tree, Object.keys(MAILAUTH_DEVIATIONS))
  await countReadings(tree, theirs)
  const { outcome, report } = await ourOutcome(tree)
  // We also query whether a domain without a record exists; mailauth, which checks messages, does not.
  if (outcome.kind === 'temperror' && theirs.kind === 'none') {
    expect(tree.domainNode.kind).toBe('failing')
    return count('existence not known')
  }
  expect(outcome).toEqual(theirs)
  if (outcome.kind === 'temperror') count('temperror')
  if (!report) return
  for (const kind of classifyTree({ tree, report })) count(kind)
  await compareSubdomains(tree, report)
  await compareDestinations(tree, report)
}

async function ourOutcome(tree: DmarcTree): Promise<{ outcome: Outcome; report?: DmarcReport }> {
  const checked = await checkDmarc(createTreeDns(tree), tree.domain as DomainName)
  if (checked.kind === 'unavailable') return { outcome: { kind: 'temperror' } }
  if (checked.kind === 'unknown-domain') {
    count('unknown domain')
    expect(await mailauth.domainExists(tree.domain, createTreeNodeResolver(tree))).toBe(false)
    return { outcome: { kind: 'none' } }
  }
  const { report } = checked
  const { record, recordName, organizationalDomain, testing } = report
  if (!report.policy || !record || !recordName) return { outcome: { kind: 'none' }, report }
  const down = report.policy === 'reject' ? 'quarantine' : 'none'
  const policy = testing ? down : report.policy
  const outcome = { kind: 'policy', recordName, organizationalDomain, policy, record } as const
  return { outcome, report }
}

async function theirOutcome(tree: DmarcTree, readings: readonly string[]): Promise<Outcome> {
  const { resolver, published } = asRead(tree, readings)
  const result = await mailauth.dmarc({ headerFrom: [`x@${tree.domain}`], resolver })
  if (!result) throw new Error(`no author domain in x@${tree.domain}`)
  if (result.status.result === 'temperror') return { kind: 'temperror' }
  if (result.status.result === 'none') return { kind: 'none' }
  const found = await mailauth.getDmarcRecord(tree.domain, resolver)
  if (!found) throw new Error('a policy without a record')
  return {
    kind: 'policy',
    recordName: `_dmarc.${found.recordDomain}`,
    organizationalDomain: found.orgDomain,
    policy: result.policy,
    record: published.get(`${found.recordDomain} ${found.rr}`) ?? found.rr,
  }
}

/** The tree for mailauth, with its records rewritten, and what they were before. */
function asRead(tree: DmarcTree, readings: readonly string[]) {
  const published = new Map<string, string>()
  const rewritten = rewriteTreeRecords(tree, (text, domain) => {
    const read = readings.reduce((so, reading) => MAILAUTH_DEVIATIONS[reading]?.(so) ?? so, text)
    published.set(`${domain} ${read.trim()}`, text)
    return read
  })
  return { resolver: createTreeNodeResolver(rewritten), published }
}

/** A deviation counts when the tree has another result without it. */
async function countReadings(tree: DmarcTree, theirs: Outcome): Promise<void> {
  const all = Object.keys(MAILAUTH_DEVIATIONS)
  for (const reading of all) {
    const others = all.filter((other) => other !== reading)
    const outcome = await theirOutcome(tree, others)
    if (JSON.stringify(outcome) !== JSON.stringify(theirs)) count(reading)
  }
}

/** Our policy for names below the domain equals mailauth's for such a name. */
async function compareSubdomains(tree: DmarcTree, report: DmarcReport): Promise<void> {
  const domain = `below.${tree.domain}`
  const child: DmarcTree = { ...tree, domain, domainNode: { kind: 'nodata' } }
  const { resolver } = asRead(child, Object.keys(MAILAUTH_DEVIATIONS))
  const result = await mailauth.dmarc({ headerFrom: [`x@${domain}`], resolver })
  const applied = result && result.status.result === 'fail' ? result : null
  const { subdomainPolicy, nonexistentSubdomainPolicy } = report
  expect(subdomainPolicy).toBe(applied?.sp ?? null)
  expect(nonexistentSubdomainPolicy).toBe(applied?.np ?? applied?.sp ?? null)
  if (subdomainPolicy) count('existing subdomain')
  if (nonexistentSubdomainPolicy !== subdomainPolicy) count('non-existent subdomain')
}

/** A destination is external when its organizational domain is not that of the policy's (RFC 9990 §4). */
async function compareDestinations(tree: DmarcTree, report: DmarcReport): Promise<void> {
  const { resolver } = asRead(tree, Object.keys(MAILAUTH_DEVIATIONS))
  const lookup = mailauth.createRecordLookup(resolver)
  const organization = (name: string) => mailauth.getOrgDomain(name, lookup).catch(() => null)
  const own = await organization(policyDomainOfReport(report))
  for (const { uri, external } of [...report.rua, ...report.ruf]) {
    const theirs = await organization(/@([^!@]+)/.exec(uri)?.[1] ?? '')
    if (external === null || own === null || theirs === null) continue
    expect({ uri, external }).toEqual({ uri, external: theirs !== own })
    count(external ? 'external destination' : 'internal destination')
  }
}
