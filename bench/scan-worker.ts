/**
 * Checks every domain of the scan benchmark with one contestant, in a process of its own, so the
 * CPU time and the memory are the contestant's.
 */
import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkDomain } from '@mailgrade/core'
import { createDohDns, createReportDns } from '@mailgrade/doh'
import { auditDNSAuth } from '@trustyourwebsite/dns-auth-check'
import { benchDomains } from './bench-zones.js'
import { checkWithMailauth, mustParseDomain } from './check-contestants.js'

export type ScanContestant = 'mailgrade' | 'dns-auth-check' | 'mailauth'

/** What a contestant says about a domain; null when it has no answer. */
export interface ScanVerdict {
  /** Whether there is an SPF record that receivers can evaluate. */
  readonly isSpfValid: boolean | null
  /** The DMARC policy for the domain itself; `absent` without a record. */
  readonly dmarcPolicy: string | null
}

export interface ScanResult {
  readonly domainsPerSecond: number
  readonly cpuMsPerDomain: number
  /** Bytes. */
  readonly peakMemory: number
  readonly verdicts: Readonly<Record<string, ScanVerdict>>
}

type CheckOne = (domain: string) => Promise<ScanVerdict>

const {
  BENCH_CONTESTANT = '',
  BENCH_COPIES = '',
  BENCH_DOH_URL = '',
  BENCH_FOLDER = '',
  BENCH_IN_FLIGHT = '',
} = process.env

/** The resolver speaks plain DNS at the same port. */
const udpServer = `127.0.0.1:${new URL(BENCH_DOH_URL).port}`

const CONTESTANTS: Record<ScanContestant, () => CheckOne> = {
  mailgrade() {
    const doh = createDohDns({
      urls: [new URL(BENCH_DOH_URL)],
      tls: { ca: readFileSync(join(BENCH_FOLDER, 'ca.pem'), 'utf8') },
    })
    const randomLabel = () => Math.random().toString(36).slice(2).padEnd(20, 'x')
    return async (domain) => {
      const reportDns = createReportDns(doh, { deadlineMs: 10_000 })
      const checked = await checkDomain(reportDns, mustParseDomain(domain), { randomLabel })
      reportDns.close()
      if (checked.kind !== 'report') return UNKNOWN
      const { spf, dmarc } = checked.report
      return { isSpfValid: spf.valid, dmarcPolicy: dmarc.policy ?? 'absent' }
    }
  },

  'dns-auth-check'() {
    useLocalServerInNewResolvers()
    return async (domain) => {
      const { spf, dmarc } = await auditDNSAuth(domain, { checkMX: true })
      return {
        isSpfValid: spf.dnsError ? null : spf.valid,
        dmarcPolicy: dmarc.dnsError ? null : (dmarc.policy ?? 'absent'),
      }
    }
  },

  mailauth() {
    const resolver = new dns.promises.Resolver()
    resolver.setServers([udpServer])
    return async (domain) => {
      const { spf, dmarc } = await checkWithMailauth(
        async (name, type) => (await resolver.resolve(name, type)) as string[],
        domain,
      )
      return {
        isSpfValid: spf === 'temperror' ? null : !['none', 'permerror'].includes(spf),
        dmarcPolicy: dmarc?.policy ?? 'absent',
      }
    }
  },
}

const UNKNOWN: ScanVerdict = { isSpfValid: null, dmarcPolicy: null }

/** It creates a resolver for every query, and also fetches policies over HTTPS, which fail here. */
function useLocalServerInNewResolvers(): void {
  const { prototype } = dns.Resolver
  const { resolveTxt, resolveMx, resolve4 } = prototype
  Object.assign(prototype, {
    resolveTxt: atLocalServer(resolveTxt),
    resolveMx: atLocalServer(resolveMx),
    resolve4: atLocalServer(resolve4),
  })
  const notFound = Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' })
  Object.assign(dns, {
    lookup: (_host: string, _options: object, done: (error: Error) => void) =>
      setImmediate(done, notFound),
  })
}

function atLocalServer(resolve: (...args: never[]) => unknown) {
  return function resolveAtLocalServer(this: dns.Resolver, ...args: never[]): unknown {
    this.setServers([udpServer])
    return resolve.apply(this, args)
  }
}

async function scan(checkOne: CheckOne, domains: readonly string[]): Promise<ScanResult> {
  const verdicts: Record<string, ScanVerdict> = {}
  const left = domains.values()
  const work = async () => {
    for (const domain of left) verdicts[domain] = await checkOne(domain).catch(() => UNKNOWN)
  }
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: Number(BENCH_IN_FLIGHT) }, work))
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    domainsPerSecond: domains.length / seconds,
    cpuMsPerDomain: (user + system) / 1_000 / domains.length,
    peakMemory: process.resourceUsage().maxRSS * 1_024,
    verdicts,
  }
}

process.on('disconnect', () => process.exit())
const checkOne = CONTESTANTS[BENCH_CONTESTANT as ScanContestant]()
process.send?.(await scan(checkOne, benchDomains(Number(BENCH_COPIES))))
