import type { Dns, FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import type { DomainName } from '../../src/names/domain-name.js'
import { scoreDomain } from '../../src/reports/score/score-domain.js'
import { scoreReportSchema } from '../../src/reports/score/score-report.js'
import { keyZoneLine, txtZoneLine } from './dkim-fixture.js'

/** A domain with the full score; tests change single parts of it. */
const FULL_SCORE_PARTS = {
  mx: 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1\n',
  spf: txtZoneLine('acme.test', 'v=spf1 ip4:192.0.2.1 -all'),
  dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject; rua=mailto:d@acme.test'),
  dkim: keyZoneLine('default'),
}

export function fullScoreZone(changes: Partial<typeof FULL_SCORE_PARTS>): string {
  return Object.values({ ...FULL_SCORE_PARTS, ...changes }).join('\n')
}

export const withSpf = (text: string, ...others: string[]) => ({
  spf: [text, ...others].map((each) => txtZoneLine('acme.test', each)).join('\n'),
})

/** With a report mailbox. */
export const withDmarc = (tags: string) => ({
  dmarc: txtZoneLine('_dmarc.acme.test', `v=DMARC1; ${tags}; rua=mailto:d@acme.test`),
})

interface ScoreFixtureOptions {
  readonly domain?: string
  readonly failing?: Record<string, FailureReason>
  readonly through?: (dns: Dns) => Dns
}

export async function runScore(zone: string, options: ScoreFixtureOptions = {}) {
  const { domain = 'acme.test', failing = {}, through = (dns: Dns) => dns } = options
  const dns = zoneDns(zone, failing)
  let count = 0
  const checked = await scoreDomain(through(dns), domain as DomainName, {
    randomLabel: () => `made-up-${++count}`,
  })
  return { checked, queries: dns.queries }
}

export async function scoreFromZone(zone: string, options: ScoreFixtureOptions = {}) {
  const { checked } = await runScore(zone, options)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  scoreReportSchema.strict().parse(checked.report)
  return checked.report
}
