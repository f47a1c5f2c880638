/**
 * Checks every domain of the scan benchmark with one contestant, in a process of its own, so the
 * CPU time and the memory are the contestant's.
 */
import dns from 'node:dns'
import { createReadStream, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { loadMailauth } from '@mailgrade/testing/mailauth'
import { auditDNSAuth } from '@trustyourwebsite/dns-auth-check'
import { benchDomains } from './bench-zones.js'
import { checkWithMailauth } from './check-contestants.js'

export type ScanContestant = 'mailgrade' | 'dns-auth-check' | 'mailauth'

/** What a contestant says about a domain; null when it has no answer. */
interface ScanVerdict {
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
  readonly verdicts: Verdicts
}

type Verdicts = Readonly<Record<string, ScanVerdict>>
/** After the measurement, so it costs nothing. */
type ReadVerdicts = () => Promise<Verdicts>
type CheckOne = (domain: string) => Promise<ScanVerdict>

const {
  BENCH_CLI = '',
  BENCH_CONTESTANT = '',
  BENCH_COPIES = '',
  BENCH_DOH_URL = '',
  BENCH_FOLDER = '',
  BENCH_IN_FLIGHT = '',
} = process.env

/** The resolver speaks plain DNS at the same port. */
const udpServer = `127.0.0.1:${new URL(BENCH_DOH_URL).port}`

const UNKNOWN: ScanVerdict = { isSpfValid: null, dmarcPolicy: null }

/** `mailgrade scan` of the built command line, with its output in a file. */
async function runOurScan(domains: readonly string[]): Promise<ReadVerdicts> {
  const [list, out] = [join(BENCH_FOLDER, 'domains.txt'), join(BENCH_FOLDER, 'scan.ndjson')]
  writeFileSync(list, domains.join('\n'))
  const { createDoh, loadProgram } = await import(`${BENCH_CLI}/mailgrade.js`)
  const { runProgram } = await loadProgram()
  const options = ['--resolver', BENCH_DOH_URL, '--concurrency', BENCH_IN_FLIGHT, '--out', out]
  const sink = { write: () => true, once() {} }
  await runProgram(['scan', list, ...options], {
    stdout: sink,
    stderr: sink,
    stdin: process.stdin,
    env: {},
    signal: new AbortController().signal,
    now: () => new Date(),
    openDns: createDoh,
  })
  return () => readVerdicts(out)
}

/** Line by line, because with 100,000 domains the file has a gigabyte. */
async function readVerdicts(file: string): Promise<Verdicts> {
  const verdicts: Record<string, ScanVerdict> = {}
  for await (const line of createInterface(createReadStream(file))) {
    const { domain, spf, dmarc } = JSON.parse(line)
    verdicts[domain] = spf
      ? { isSpfValid: spf.valid, dmarcPolicy: dmarc.policy ?? 'absent' }
      : UNKNOWN
  }
  rmSync(file)
  return verdicts
}

function checkWithDnsAuthCheck(): CheckOne {
  useLocalServerInNewResolvers()
  return async (domain) => {
    const { spf, dmarc } = await auditDNSAuth(domain, { checkMX: true })
    return {
      isSpfValid: spf.dnsError ? null : spf.valid,
      dmarcPolicy: dmarc.dnsError ? null : (dmarc.policy ?? 'absent'),
    }
  }
}

function checkWithLocalMailauth(): CheckOne {
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
}

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

async function runInPool(checkOne: CheckOne, domains: readonly string[]): Promise<ReadVerdicts> {
  const verdicts: Record<string, ScanVerdict> = {}
  const left = domains.values()
  const work = async () => {
    for (const domain of left) verdicts[domain] = await checkOne(domain).catch(() => UNKNOWN)
  }
  await Promise.all(Array.from({ length: Number(BENCH_IN_FLIGHT) }, work))
  return async () => verdicts
}

const CONTESTANTS: Record<ScanContestant, (domains: readonly string[]) => Promise<ReadVerdicts>> = {
  mailgrade: runOurScan,
  'dns-auth-check': (domains) => runInPool(checkWithDnsAuthCheck(), domains),
  mailauth: (domains) => runInPool(checkWithLocalMailauth(), domains),
}

async function measureScan(): Promise<ScanResult> {
  // Loaded before the measurement, as the others are.
  if (BENCH_CONTESTANT === 'mailauth') loadMailauth()
  const domains = benchDomains(Number(BENCH_COPIES))
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const readVerdicts = await CONTESTANTS[BENCH_CONTESTANT as ScanContestant](domains)
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    domainsPerSecond: domains.length / seconds,
    cpuMsPerDomain: (user + system) / 1_000 / domains.length,
    peakMemory: process.resourceUsage().maxRSS * 1_024,
    verdicts: await readVerdicts(),
  }
}

process.on('disconnect', () => process.exit())
process.send?.(await measureScan())
