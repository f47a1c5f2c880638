/** Before anything is measured: what is to be answered, and how often that must wait for the DNS. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { checkDomain } from '@mailgrade/core'
import type { AbortableDns, DnsQuery } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import type { MeasuredServer } from './bench-environment.js'
import { type BenchZone, benchZoneText, copyZone } from './bench-zones.js'
import {
  checkSpfAndDmarc,
  mustParseDomain,
  requestCheck,
  type ServiceCheckReport,
  withReportDns,
} from './check-contestants.js'
import { runMailauth } from './check-mailauth.js'
import { createRoundCountingDns } from './check-rounds.js'

export interface VerifiedZone {
  readonly name: string
  readonly checkedDomain: string
  /** What one check asks, in order. */
  readonly queries: readonly DnsQuery[]
  /** How often it must wait for the DNS, and how often it does. */
  readonly depth: number
  readonly rounds: number
}

export function createZoneVerifier(service: MeasuredServer, dns: AbortableDns) {
  const world = createZoneDns('bench', benchZoneText())

  return async function verify(zone: BenchZone): Promise<VerifiedZone> {
    const { name, expected } = zone
    const { checkedDomain, longestQueryChain } = copyZone(zone, 0)
    const report = await requestCheck(service, checkedDomain)
    deepStrictEqual({ status: report.status, faults: faultsIn(report) }, expected, checkedDomain)
    await compareWithMailauth(dns, checkedDomain)

    const { rounds, questions } = await trace(checkedDomain)
    strictEqual(questions.length, report.meta.dnsQueries, `${checkedDomain}: questions`)
    for (const [index, question] of longestQueryChain.entries()) {
      const asked = rounds.slice(index).flat()
      ok(
        asked.includes(question),
        `${checkedDomain}: ${question} is not asked in round ${index + 1}`,
      )
    }
    return {
      name,
      checkedDomain,
      queries: questions,
      depth: longestQueryChain.length,
      rounds: rounds.length,
    }
  }

  /** The check alone, over a DNS that answers in rounds. */
  function trace(subject: string) {
    const rounded = createRoundCountingDns(world)
    return withReportDns(rounded, async (lookup) => {
      let labels = 0
      const randomLabel = () => `made-up-${++labels}`
      await checkDomain(lookup, mustParseDomain(subject), { randomLabel })
      return { rounds: rounded.rounds, questions: lookup.queries }
    })
  }
}

/** The ids of all that should be mended; a mere remark may come and go. */
function faultsIn({ mx, spf, dmarc, dkim, transport }: ServiceCheckReport): string[] {
  return [mx, spf, dmarc, dkim, transport]
    .flatMap(({ issues }) => issues)
    .filter(({ severity }) => severity !== 'info')
    .map(({ id }) => id)
}

async function compareWithMailauth(dns: AbortableDns, subject: string): Promise<void> {
  const { spf, dmarc } = await checkSpfAndDmarc(dns, mustParseDomain(subject))
  const ours = { spf: spf.valid ? spf.allResult : 'permerror', dmarc: dmarc.record }
  deepStrictEqual(await runMailauth(dns, subject), ours, `${subject}: mailauth has another opinion`)
}
