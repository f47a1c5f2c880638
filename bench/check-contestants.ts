/** Ways to learn how a domain stands: each takes a domain and is done when it knows. */
import http, { Agent } from 'node:http'
import { text } from 'node:stream/consumers'
import type { DomainReport } from '@mailgrade/core'
import { checkDmarc, checkSpf, type DomainName, parseDomain } from '@mailgrade/core'
import { createLookup, type Lookup } from '@mailgrade/doh'
import type { AbortableDns, Question } from '@mailgrade/doh/dns'
import type { Meta } from '../packages/server/src/operations/meta.js'
import { IN_FLIGHT } from './check-aims.js'
import type { Server } from './stand.js'

export type Report = DomainReport & { readonly meta: Meta }

const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })

export function domainName(text: string): DomainName {
  const parsed = parseDomain(text)
  if (parsed.kind === 'refused') throw new Error(parsed.reason)
  return parsed.domain
}

export async function askService(service: Server, domain: string): Promise<Report> {
  const { status, body } = await get(`http://127.0.0.1:${service.port}/v1/check?domain=${domain}`)
  if (status !== 200) throw new Error(`${domain}: HTTP ${status}, ${body}`)
  return JSON.parse(body)
}

export async function askInSequence(
  dns: AbortableDns,
  questions: readonly Question[],
): Promise<void> {
  for (const { name, type } of questions) await dns.ask(name, type)
}

/** Only what mailauth can do as well. */
export async function checkSpfAndDmarc(dns: AbortableDns, domain: DomainName) {
  const [spf, dmarc] = await withLookup(dns, (lookup) =>
    Promise.all([checkSpf(lookup, domain), checkDmarc(lookup, domain)]),
  )
  if (spf.kind !== 'report' || dmarc.kind !== 'report') throw new Error(`${domain}: no report`)
  return { spf: spf.report, dmarc: dmarc.report }
}

/** As an operation gets it: every question once, and all given up at the end. */
export async function withLookup<Result>(
  dns: AbortableDns,
  run: (lookup: Lookup) => Promise<Result>,
): Promise<Result> {
  const lookup = createLookup(dns, { deadlineMs: 5_000 })
  try {
    return await run(lookup)
  } finally {
    lookup.end()
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
