/** The file in which `mailgrade watch` keeps the facts of the previous run. */

import { randomBytes } from 'node:crypto'
import { open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseSelector, stringifySafely } from '@mailgrade/core'
import { type CommandContext, UsageError } from '../command-line/command.js'
import { makeFolders } from '../command-line/output-file.js'
import { AREAS, type DomainFacts, type KeyFacts } from './domain-facts.js'

export interface DomainState {
  /** Of the last run that could look it up. */
  readonly checkedAt: string
  readonly exists: boolean
  /** The last known facts, even if the domain no longer exists. */
  readonly facts: DomainFacts | null
}

export type States = Readonly<Record<string, DomainState>>

const KIND = 'mailgrade-watch'
const VERSION = 1

const OTHER_FILE = 'Check its permissions, or choose a different file with --state.'

/** As the XDG base directory specification says. */
export function defaultStatePath({ XDG_STATE_HOME, HOME }: CommandContext['env']): string {
  const folder = XDG_STATE_HOME || join(HOME || homedir(), '.local', 'state')
  return join(folder, 'mailgrade', 'watch.json')
}

/** Empty if there is no file yet. */
export async function readStates(path: string): Promise<States> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (Object(error).code === 'ENOENT') return {}
    throw new UsageError(
      `We couldn’t read the state file ${path} (${Object(error).code}). ${OTHER_FILE}`,
    )
  }
  const { kind, version, domains } = Object(parseJson(text))
  if (kind !== KIND) throw unusable(path, 'isn’t a mailgrade watch state file')
  if (typeof version === 'number' && version !== VERSION)
    throw unusable(
      path,
      `has format version ${version}, but this version of mailgrade reads ${VERSION}`,
    )
  if (version !== VERSION || !areStates(domains)) throw unusable(path, 'is damaged')
  return domains
}

/** Other programs see the old file or the new one, never a part. The last one to write wins. */
export async function writeStates(path: string, states: States): Promise<void> {
  // A link would be replaced, not followed.
  const target = await realpath(path).catch(() => path)
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    makeFolders(dirname(path))
    // The domains that someone watches are their own business.
    const file = await open(temporary, 'wx', 0o600)
    try {
      const content = { kind: KIND, version: VERSION, domains: states }
      await file.writeFile(`${stringifySafely(content, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw new UsageError(
      `We couldn’t write the state file ${path} (${Object(error).code}). ${OTHER_FILE}`,
    )
  }
}

function unusable(path: string, why: string): UsageError {
  return new UsageError(
    `The file ${path} ${why}. We didn’t change it. Move it, or choose a different file with --state.`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function areStates(value: unknown): value is States {
  return typeof value === 'object' && value !== null && Object.values(value).every(isState)
}

function isState(value: unknown): value is DomainState {
  const { checkedAt, exists, facts } = Object(value)
  return (
    typeof checkedAt === 'string' &&
    typeof exists === 'boolean' &&
    (facts === null || isFacts(facts))
  )
}

function isFacts(value: unknown): value is DomainFacts {
  const facts = Object(value)
  const { verdict, policy, subdomainPolicy, isTesting, spf, unknown } = facts
  const policies = ['none', 'quarantine', 'reject', null]
  return (
    ['pass', 'warn', 'fail'].includes(Object(verdict).status) &&
    typeof verdict.label === 'string' &&
    policies.includes(policy) &&
    policies.includes(subdomainPolicy) &&
    typeof isTesting === 'boolean' &&
    typeof (facts.alignment ?? '') === 'string' &&
    Number.isInteger(Object(spf).lookups) &&
    [spf.records, spf.senders, facts.mx].every(areTexts) &&
    areTexts(facts.selectors) &&
    facts.selectors.every((text: string) => parseSelector(text, null).kind === 'selector') &&
    areObjects(facts.keys, { selector: 'string', record: 'string', isValid: 'boolean' }) &&
    areObjects(facts.findings, { id: 'string', severity: 'string', title: 'string' }) &&
    areTexts(unknown) &&
    unknown.every((area) => AREAS.some((it) => it === area)) &&
    areOptionalFacts(facts)
  )
}

/** Older states don't have these. */
function areOptionalFacts(facts: Record<string, unknown>): boolean {
  const { dmarcCname, mtaSts, nameServers, answeredSelectors, keys } = facts
  const { services, below } = Object(facts.spf)
  return (
    [facts.rua, facts.ruf, facts.tlsRpt, facts.dane].every((list) => isMissingOr(areTexts, list)) &&
    [services, facts.mxServices].every((list) => isMissingOr(areServices, list)) &&
    isMissingOr(
      areServices,
      (keys as KeyFacts[]).flatMap(({ service }) => service ?? []),
    ) &&
    (keys as KeyFacts[]).every(({ cname }) => typeof (cname ?? '') === 'string') &&
    typeof (dmarcCname ?? '') === 'string' &&
    typeof (answeredSelectors ?? '') === 'string' &&
    isMissingOr((it) => Object.values(Object(it)).every(areTexts), nameServers) &&
    isMissingOr((it) => areTexts(Object.values(Object(it))), below) &&
    isMissingOr(
      (it) =>
        typeof Object(it).isValid === 'boolean' && typeof (Object(it).record ?? '') === 'string',
      mtaSts,
    )
  )
}

function isMissingOr(isValid: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || isValid(value)
}

function areServices(value: unknown): boolean {
  return areObjects(value, { id: 'string', name: 'string' })
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((it) => typeof it === 'string')
}

function areObjects(value: unknown, fields: Readonly<Record<string, string>>): boolean {
  return (
    Array.isArray(value) &&
    value.every((it) =>
      Object.entries(fields).every(([name, type]) => typeof Object(it)[name] === type),
    )
  )
}
