/**
 * Makes reports over DoH in a process of its own, and reports what each one costs. The heap is so
 * large that nothing is collected during a report, so its growth is what the report allocates.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type CheckResult, checkDomain } from '@mailgrade/core'
import { planDomain, scoreDomain } from '@mailgrade/core/planning'
import { createDohDns, createReportDns } from '@mailgrade/doh'
import type { Dns } from '@mailgrade/doh/dns'
import { mustParseDomain } from './check-contestants.js'

const RANDOM = { randomLabel: () => Math.random().toString(36).slice(2).padEnd(20, 'x') }

const REPORTS = {
  check: (dns: Dns, domain: string) => checkDomain(dns, mustParseDomain(domain), RANDOM),
  score: (dns: Dns, domain: string) => scoreDomain(dns, mustParseDomain(domain), RANDOM),
  plan: (dns: Dns, domain: string) =>
    planDomain(dns, mustParseDomain(domain), RANDOM, { now: new Date(0) }),
} satisfies Record<string, (dns: Dns, domain: string) => Promise<CheckResult<object>>>

export type ReportKind = keyof typeof REPORTS

export interface ReportRequest {
  readonly requestId: number
  readonly kind: ReportKind
  readonly domain: string
}

export interface ReportCost {
  readonly requestId: number
  readonly cpuMs: number
  readonly allocatedBytes: number
  readonly reportBytes: number
  readonly queries: number
  readonly outcome: string
}

const { BENCH_DOH_URL = '', BENCH_FOLDER = '' } = process.env
const dns = createDohDns({
  urls: [new URL(BENCH_DOH_URL)],
  // A report that gives up because the machine is busy would look cheap.
  queryTimeoutMs: 30_000,
  tls: { ca: readFileSync(join(BENCH_FOLDER, 'ca.pem'), 'utf8') },
})

async function measure({ requestId, kind, domain }: ReportRequest): Promise<ReportCost> {
  globalThis.gc?.()
  const heapBefore = allocatedBytes()
  const cpuBefore = process.cpuUsage()
  const reportDns = createReportDns(dns, { deadlineMs: 60_000 })
  const result = await REPORTS[kind](reportDns, domain)
  const body = JSON.stringify(result.kind === 'report' ? result.report : null)
  reportDns.close()
  // Work that the report has left behind belongs to it.
  await setImmediate()
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    requestId,
    cpuMs: (user + system) / 1_000,
    allocatedBytes: allocatedBytes() - heapBefore,
    reportBytes: Buffer.byteLength(body),
    queries: reportDns.queries.length,
    outcome: result.kind === 'unavailable' ? result.failure.reason : result.kind,
  }
}

function allocatedBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

process.on('message', async (request: ReportRequest) => process.send?.(await measure(request)))
process.on('disconnect', () => process.exit())
process.send?.('ready')
