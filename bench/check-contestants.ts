/** Ways to learn how a domain stands: each takes a domain and is done when it knows. */
import http, { Agent } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  checkDmarc,
  checkSpf,
  type DomainName,
  type DomainReport,
  parseDomain,
} from '@mailgrade/core'
import { createReportDns, type ReportDns } from '@mailgrade/doh'
import type { AbortableDns, DnsQuery } from '@mailgrade/doh/dns'
import type { ReportMeta } from '../packages/server/src/operations/operation.js'
import type { MeasuredServer } from './bench-environment.js'
import { CHECKS_IN_FLIGHT } from './bench-targets.js'

export type ServiceCheckReport = DomainReport & { readonly meta: ReportMeta }

const agent = new Agent({ keepAlive: true, maxSockets: CHECKS_IN_FLIGHT })

export function mustParseDomain(text: string): DomainName {
  const parsed = parseDomain(text)
  if (parsed.kind === 'refused') throw new Error(parsed.reason)
  return parsed.domain
}

export async function requestCheck(
  service: MeasuredServer,
  domain: string,
): Promise<ServiceCheckReport> {
  const { status, body } = await get(`http://127.0.0.1:${service.port}/v1/check?domain=${domain}`)
  if (status !== 200) throw new Error(`${domain}: HTTP ${status}, ${body}`)
  return JSON.parse(body)
}

export async function querySequentially(
  dns: AbortableDns,
  questions: readonly DnsQuery[],
): Promise<void> {
  for (const { name, type } of questions) await dns.query(name, type)
}

/** Only what mailauth can do as well. */
export async function checkSpfAndDmarc(dns: AbortableDns, domain: DomainName) {
  const [spf, dmarc] = await withReportDns(dns, (lookup) =>
    Promise.all([checkSpf(lookup, domain), checkDmarc(lookup, domain)]),
  )
  if (spf.kind !== 'report' || dmarc.kind !== 'report') throw new Error(`${domain}: no report`)
  return { spf: spf.report, dmarc: dmarc.report }
}

/** As an operation gets it: every question once, and all given up at the end. */
export async function withReportDns<Result>(
  dns: AbortableDns,
  run: (lookup: ReportDns) => Promise<Result>,
): Promise<Result> {
  const lookup = createReportDns(dns, { deadlineMs: 5_000 })
  try {
    return await run(lookup)
  } finally {
    lookup.close()
  }
}

/** As callers do. */
function get(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) })
    })
    request.on('error', reject)
  })
}
