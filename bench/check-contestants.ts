/** What the check benchmark compares, and proof that all of it gives the same result. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import http, { Agent } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import {
  checkDmarc,
  checkDomain,
  checkSpf,
  type DomainName,
  type DomainReport,
  parseDomain,
} from '@mailgrade/core'
import { createReportDns, type ReportDns } from '@mailgrade/doh'
import type { AbortableDns, Dns, DnsAnswer, DnsQuery, RecordType } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import type { ReportMeta } from '@mailgrade/operations/operation'
import {
  loadMailauth,
  type MailauthRecord,
  type MailauthResolver,
} from '@mailgrade/testing/mailauth'
import type { MeasuredServer } from './bench-environment.js'
import { CHECKS_IN_FLIGHT } from './bench-targets.js'
import { type BenchZone, benchZoneText, copyZone } from './bench-zones.js'

export type ServiceCheckReport = DomainReport & { readonly meta: ReportMeta }

const agent = new Agent({ keepAlive: true, maxSockets: CHECKS_IN_FLIGHT })

export function mustParseDomain(text: string): DomainName {
  const parsed = parseDomain(text)
  if (parsed.kind === 'refused') throw new Error(parsed.reason)
  return parsed.domain
}

/** The whole check over HTTP. */
export async function requestCheck(
  service: MeasuredServer,
  domain: string,
): Promise<ServiceCheckReport> {
  const { status, body } = await get(`http://127.0.0.1:${service.port}/v1/check?domain=${domain}`)
  if (status !== 200) throw new Error(`${domain}: HTTP ${status}, ${body}`)
  return JSON.parse(body)
}

/** The queries of a check, one after another. */
export async function querySequentially(
  dns: AbortableDns,
  queries: readonly DnsQuery[],
): Promise<void> {
  for (const { name, type } of queries) await dns.query(name, type)
}

/** The part of a check that mailauth does as well. */
export async function checkSpfAndDmarc(dns: AbortableDns, domain: DomainName) {
  const [spf, dmarc] = await withReportDns(dns, (reportDns) =>
    Promise.all([checkSpf(reportDns, domain), checkDmarc(reportDns, domain)]),
  )
  if (spf.kind !== 'report' || dmarc.kind !== 'report') throw new Error(`${domain}: no report`)
  return { spf: spf.report, dmarc: dmarc.report }
}

/** mailauth over our DNS client. */
export async function runMailauth(
  dns: AbortableDns,
  domain: string,
): Promise<{ readonly spf: string; readonly dmarc: string | null }> {
  const { spf, dmarc } = await checkWithMailauth(createMailauthResolver(dns), domain)
  return { spf, dmarc: dmarc?.record ?? null }
}

/** mailauth's SPF and DMARC, both at once. The sender matches no record. */
export async function checkWithMailauth(resolver: MailauthResolver, domain: string) {
  const { spf, getDmarcRecord } = loadMailauth()
  const sender = { ip: '203.0.113.99', helo: 'mail.invalid', sender: `someone@${domain}` }
  const [result, record] = await Promise.all([
    spf({ ...sender, mta: 'mx.invalid', resolver }),
    getDmarcRecord(domain, resolver),
  ])
  return { spf: result.status.result, dmarc: record ? toMailauthDmarc(record) : null }
}

function toMailauthDmarc({ rr, p, sp, isOrgRecord }: MailauthRecord) {
  return { record: rr, policy: (isOrgRecord && sp) || p }
}

const ABSENT = { nodata: 'ENODATA', nxdomain: 'ENOTFOUND' }

/** Results and errors as `dns.promises.resolve` has them. */
function createMailauthResolver(dns: AbortableDns): MailauthResolver {
  return async (domain, type) => {
    const answer: DnsAnswer = await dns.query(domain, type as RecordType)
    if (answer.kind === 'failed') throw codedError('ESERVFAIL')
    if (answer.kind !== 'records') throw codedError(ABSENT[answer.kind])
    return answer.records.map(toNodeRecord) as string[]
  }
}

function toNodeRecord(data: unknown): unknown {
  if (typeof data !== 'object' || !data || !('preference' in data)) return data
  const { preference: priority, ...rest } = data
  return { priority, ...rest }
}

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

export interface VerifiedZone {
  readonly name: string
  readonly checkedDomain: string
  /** The queries of one check, in order. */
  readonly queries: readonly DnsQuery[]
  /** How often a check must wait for DNS at least. */
  readonly depth: number
  /** How often it does wait. */
  readonly rounds: number
}

/** Checks a zone with every contestant before it is measured. */
export function createZoneVerifier(service: MeasuredServer, dns: AbortableDns) {
  const zoneDns = createZoneDns('bench', benchZoneText())

  return async function verifyZone(zone: BenchZone): Promise<VerifiedZone> {
    const { name, expected } = zone
    const { checkedDomain, longestQueryChain } = copyZone(zone, 0)
    const report = await requestCheck(service, checkedDomain)
    const found = { status: report.status, problems: problemIds(report) }
    deepStrictEqual(found, expected, checkedDomain)
    await compareWithMailauth(dns, checkedDomain)

    const { rounds, queries } = await traceCheck(zoneDns, checkedDomain)
    strictEqual(queries.length, report.meta.dnsQueries, `${checkedDomain}: number of queries`)
    for (const [index, query] of longestQueryChain.entries()) {
      const later = rounds.slice(index).flat()
      ok(later.includes(query), `${checkedDomain}: no ${query} from round ${index + 1} on`)
    }
    const depth = longestQueryChain.length
    return { name, checkedDomain, queries, depth, rounds: rounds.length }
  }
}

/** Ids of all issues above `info`. */
function problemIds({ mx, spf, dmarc, dkim, transport }: ServiceCheckReport): string[] {
  return [mx, spf, dmarc, dkim, transport]
    .flatMap(({ issues }) => issues)
    .filter(({ severity }) => severity !== 'info')
    .map(({ id }) => id)
}

async function compareWithMailauth(dns: AbortableDns, domain: string): Promise<void> {
  const { spf, dmarc } = await checkSpfAndDmarc(dns, mustParseDomain(domain))
  const ours = { spf: spf.valid ? spf.allResult : 'permerror', dmarc: dmarc.record }
  deepStrictEqual(await runMailauth(dns, domain), ours, `${domain}: mailauth has another result`)
}

/** Runs the check alone, over a DNS that counts rounds. */
function traceCheck(zoneDns: Dns, domain: string) {
  const roundDns = createRoundCountingDns(zoneDns)
  return withReportDns(roundDns, async (reportDns) => {
    let labels = 0
    const randomLabel = () => `random-${++labels}`
    await checkDomain(reportDns, mustParseDomain(domain), { randomLabel })
    return { rounds: roundDns.rounds, queries: reportDns.queries }
  })
}

interface RoundCountingDns extends AbortableDns {
  /** The queries of each round, such as `MX acme.test`. */
  readonly rounds: readonly (readonly string[])[]
}

/** Answers in rounds: a query waits until no further query can be sent without its answer. */
function createRoundCountingDns(dns: Dns): RoundCountingDns {
  const rounds: string[][] = []
  let round: { queries: string[]; over: Promise<void> } | null = null

  function beginRound() {
    const queries: string[] = []
    rounds.push(queries)
    // Everything that follows from the answers so far runs before the event loop turns.
    const over = setImmediate().then(() => {
      round = null
    })
    return { queries, over }
  }

  async function query(name: string, type: RecordType): Promise<DnsAnswer> {
    round ??= beginRound()
    const { queries, over } = round
    queries.push(`${type} ${name}`)
    await over
    return dns.query(name, type)
  }

  return { query: query as AbortableDns['query'], rounds }
}

/** DNS as an operation gets it: one query per name and type, all aborted at the end. */
async function withReportDns<Result>(
  dns: AbortableDns,
  run: (reportDns: ReportDns) => Promise<Result>,
): Promise<Result> {
  const reportDns = createReportDns(dns, { deadlineMs: 5_000 })
  try {
    return await run(reportDns)
  } finally {
    reportDns.close()
  }
}

function get(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) })
    })
    request.on('error', reject)
  })
}
