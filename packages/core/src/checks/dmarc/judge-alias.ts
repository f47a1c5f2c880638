/** Who really holds the record, where its name is an alias (RFC 1034 §3.6.2). */
import { createFinding, type Finding } from '../finding.js'
import { isDmarcNearMiss } from './dmarc-near-miss.js'
import type { WalkStep } from './tree-walk.js'

export function judgeDmarcCname(station: WalkStep): Finding[] {
  const target = station.cnames.at(-1)
  if (!target) return []
  const holdsRecord = station.records.length > 0 || station.texts.some(isDmarcNearMiss)
  return [holdsRecord ? judgeKept(station, target) : judgeDangling(station, target)]
}

function judgeKept(station: WalkStep, target: string): Finding {
  const { name } = station
  return createFinding(
    'dmarc.cname',
    {
      title: `The record of ${name} is kept at ${target}`,
      detail: `${name} is an alias. Whoever controls ${target} decides what receivers do with forged mail, and who gets the reports.`,
      fix: `Nothing, if that is whom you trust with it. Otherwise replace the CNAME at ${name} by a TXT record of your own.`,
    },
    chainEvidence(station),
  )
}

function judgeDangling(station: WalkStep, target: string): Finding {
  const { name } = station
  return createFinding(
    'dmarc.dangling-cname',
    {
      title: `The alias ${name} leads to ${target}, where there is no DMARC record`,
      detail: `The alias does nothing now. But whoever comes to hold ${target}, by registering a domain that has lapsed or opening an account with its operator, can publish a policy there for mail in your name, and have the reports sent to themselves.`,
      fix: `Delete the CNAME at ${name}, or replace it by a TXT record of your own. If it comes from a wildcard, a TXT record at ${name} takes precedence over that.`,
    },
    chainEvidence(station),
  )
}

function chainEvidence({ name, cnames }: WalkStep): Finding['evidence'] {
  return cnames.map((value, index) => ({
    name: cnames[index - 1] ?? name,
    type: 'CNAME',
    value,
  }))
}
