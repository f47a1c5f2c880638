/** Publishes a record at a name, and the records that it leads to. */

import { edgeCaseTerm } from './edge-case-terms.js'
import { toDomainSpec } from './macro-expansion.js'
import { lookupFreeTerm, publishTxt, resolvingTerm } from './valid-terms.js'
import {
  addAddresses,
  addMxRecords,
  addRow,
  inventName,
  isDnsName,
  type ZoneDraft,
} from './zone-draft.js'

export type TermGenerator = (draft: ZoneDraft, owner: string) => string

/** The end of a record; most do not let unknown senders pass. */
const ENDINGS = [
  [5, '-all'],
  [4, '~all'],
  [2, '?all'],
  [3, ''],
  [0.5, '+all'],
  [0.3, 'all'],
] as const

export function publishTerms(
  draft: ZoneDraft,
  owner: string,
  makers: readonly TermGenerator[],
): void {
  const { random } = draft
  draft.recordNames.push(owner)
  furnishOwner(draft, owner)
  const terms = makers.map((make) => make(draft, owner))
  const ending = random.weighted(ENDINGS)
  if (ending) terms.push(ending)
  if (random.chance(0.04)) terms.push(random.chance(0.4) ? 'include:%{d}' : lookupFreeTerm(draft))
  const hasRedirect = random.chance(ending ? 0.05 : 0.3)
  if (hasRedirect) terms.splice(random.int(0, terms.length), 0, redirect(draft, owner))
  const isRepeating = terms.length > 0 && random.chance(0.05)
  if (isRepeating) terms.splice(random.int(0, terms.length), 0, random.pick(terms))
  publishTxt(draft, owner, asText(draft, terms))
}

/** For `a` and `mx` without a host. */
function furnishOwner(draft: ZoneDraft, owner: string): void {
  const { random } = draft
  if (draft.zone.has(owner)) return
  addAddresses(draft, owner, random.chance(0.85) ? 'both' : random.pick(['v4', 'text']))
  if (random.chance(0.9)) addMxRecords(draft, owner, ['both.hosts.test'])
}

function asText(draft: ZoneDraft, terms: readonly string[]): string {
  const { random } = draft
  const version = random.chance(0.05) ? random.pick(['V=SPF1', 'v=SPF1']) : 'v=spf1'
  const spaced = terms.map((term) => `${random.chance(0.05) ? '  ' : ' '}${dress(draft, term)}`)
  return [version, ...spaced, random.chance(0.05) ? ' ' : ''].join('')
}

/** Adds a qualifier and random capitals, which have no meaning. */
function dress({ random }: ZoneDraft, term: string): string {
  const isMechanism = /^[a-z\d]+(?:[:/]|$)/i.test(term)
  const qualifier = isMechanism && random.chance(0.15) ? random.pick(['+', '-', '~', '?']) : ''
  const name = /^[a-z\d]+(?=[:/=]|$)/i.exec(term)?.[0] ?? ''
  const spelling = random.chance(0.05) ? name.toUpperCase() : name
  return qualifier + spelling + term.slice(name.length)
}

function redirect(draft: ZoneDraft, owner: string): string {
  const { random } = draft
  if (random.chance(0.1)) return `redirect=${toDomainSpec(random.pick(draft.recordNames))}`
  const target = includeNewName(draft, owner, (name) =>
    random.chance(0.15)
      ? publishUnusable(draft, name)
      : publishTerms(
          draft,
          name,
          random.chance(0.5) ? [lookupFreeTerm] : [lookupFreeTerm, resolvingTerm],
        ),
  )
  return target.replace(/^include:/, 'redirect=')
}

/** An include of a new name, whose records `fill` publishes. */
export function includeNewName(
  draft: ZoneDraft,
  owner: string,
  fill: (name: string) => void,
): string {
  const { random } = draft
  const { spec, name } = inventName(draft, owner)
  if (isDnsName(name) && !draft.zone.has(name)) {
    fill(name)
    if (random.chance(0.05)) hideBehindCname(draft, name)
  }
  return `include:${random.chance(0.2) ? changedCase(draft, spec) : spec}`
}

/** The record is at the CNAME target, but `%{d}` is still the included name. */
function hideBehindCname(draft: ZoneDraft, name: string): void {
  const rows = draft.zone.get(name)
  const target = `${draft.nextLabel()}.elsewhere.test`
  if (!rows || rows.some(([type]) => type === 'CNAME')) return
  draft.zone.set(target, rows)
  draft.zone.set(name, [['CNAME', target]])
}

/** Macros keep their case, because it has a meaning. */
function changedCase({ random }: ZoneDraft, text: string): string {
  return text.includes('%') ? text : random.chance(0.5) ? text.toUpperCase() : capitalised(text)
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** Invalid include targets: no name, no record, two records, or an invalid one. */
export function publishUnusable(draft: ZoneDraft, name: string): void {
  const { random } = draft
  random.weighted<() => void>([
    [1, () => {}],
    [1, () => addRow(draft, name, ['TXT', ['not SPF']])],
    [1, () => addRow(draft, name, ['CNAME', 'nothing.hosts.test'])],
    [1, () => publishMultiple(draft, name)],
    [2, () => publishTxt(draft, name, `v=spf1 ${edgeCaseTerm(random)} -all`)],
  ])()
}

export function publishMultiple(draft: ZoneDraft, name: string): void {
  for (let count = draft.random.int(2, 3); count > 0; count -= 1) {
    publishTerms(draft, name, [lookupFreeTerm])
  }
}
