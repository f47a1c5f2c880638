/** Before anything is measured: what is to be answered, and how often that must wait for the DNS. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { checkDomain } from '@mailgrade/core'
import type { AbortableDns, Question } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import {
  askService,
  checkSpfAndDmarc,
  domainName,
  type Report,
  withLookup,
} from './check-contestants.js'
import { askMailauth } from './check-mailauth.js'
import { inRounds } from './check-rounds.js'
import { type BenchZone, copyOf, worldText } from './check-zones.js'
import type { Server } from './stand.js'

export interface VerifiedZone {
  readonly name: string
  readonly subject: string
  /** What one check asks, in order. */
  readonly questions: readonly Question[]
  /** How often it must wait for the DNS, and how often it does. */
  readonly depth: number
  readonly rounds: number
}

export function createVerifier(service: Server, dns: AbortableDns) {
  const world = createZoneDns('bench', worldText())

  return async function verify(zone: BenchZone): Promise<VerifiedZone> {
    const { name, expected } = zone
    const { subject, chain } = copyOf(zone, 0)
    const report = await askService(service, subject)
    deepStrictEqual({ status: report.status, faults: faultsIn(report) }, expected, subject)
    await compareWithMailauth(dns, subject)

    const { rounds, questions } = await trace(subject)
    strictEqual(questions.length, report.meta.dnsQueries, `${subject}: questions`)
    for (const [index, question] of chain.entries()) {
      const asked = rounds.slice(index).flat()
      ok(asked.includes(question), `${subject}: ${question} is not asked in round ${index + 1}`)
    }
    return { name, subject, questions, depth: chain.length, rounds: rounds.length }
  }

  /** The check alone, over a DNS that answers in rounds. */
  function trace(subject: string) {
    const rounded = inRounds(world)
    return withLookup(rounded, async (lookup) => {
      let labels = 0
      const randomLabel = () => `made-up-${++labels}`
      await checkDomain(lookup, domainName(subject), { randomLabel })
      return { rounds: rounded.rounds, questions: lookup.trace }
    })
  }
}

/** The ids of all that should be mended; a mere remark may come and go. */
function faultsIn({ mx, spf, dmarc, dkim, transport }: Report): string[] {
  return [mx, spf, dmarc, dkim, transport]
    .flatMap(({ issues }) => issues)
    .filter(({ severity }) => severity !== 'info')
    .map(({ id }) => id)
}

async function compareWithMailauth(dns: AbortableDns, subject: string): Promise<void> {
  const { spf, dmarc } = await checkSpfAndDmarc(dns, domainName(subject))
  const ours = { spf: spf.valid ? spf.allResult : 'permerror', dmarc: dmarc.record }
  deepStrictEqual(await askMailauth(dns, subject), ours, `${subject}: mailauth has another opinion`)
}
