/** `npm run bench` measures one instance, also under attack; `npm run bench -- --help` lists the other benchmarks. */
import { rmSync, symlinkSync } from 'node:fs'
import { benchCheck } from './bench-check.js'
import { benchCompare } from './bench-compare.js'
import { benchDns } from './bench-dns.js'
import { benchHostile } from './bench-hostile.js'
import { benchHostileBuyer } from './bench-hostile-buyer.js'
import { benchMcp } from './bench-mcp.js'
import { benchPage } from './bench-page.js'
import { benchPayment } from './bench-payment.js'
import { benchPlan } from './bench-plan.js'
import { benchScan } from './bench-scan.js'
import { benchService } from './bench-service.js'
import { benchStart } from './bench-start.js'

interface Benchmark {
  readonly summary: string
  readonly run: (argument?: string) => Promise<void>
}

const BENCHMARKS: Record<string, Benchmark> = {
  service: {
    summary: 'checks, 402 and 429 per second, latency and memory of one instance',
    run: benchService,
  },
  check: {
    summary: 'latency and CPU time of a check per mail setup, beside mailauth',
    run: benchCheck,
  },
  hostile: {
    summary: 'what hostile zones cost, and what callers notice of an attack',
    run: benchHostile,
  },
  scan: { summary: 'mailgrade scan beside other checkers, and its memory', run: benchScan },
  dns: { summary: 'our DNS over HTTPS client beside fetch and node:http2', run: benchDns },
  pay: { summary: 'what a payment adds to a report, beside @x402/hono', run: benchPayment },
  'hostile-buyer': {
    summary: 'how long a purchase takes while one address sends the worst payments',
    run: benchHostileBuyer,
  },
  mcp: { summary: 'tool calls over MCP beside the same over HTTP', run: benchMcp },
  page: { summary: 'bytes and times of the pages in Chromium', run: benchPage },
  start: {
    summary: 'time from the command to the first answer, also of npx mailgrade',
    run: benchStart,
  },
  plan: { summary: 'a fix plan beside that of another checkout: plan <path>', run: benchPlan },
  compare: {
    summary: 'this build beside the build of another checkout: compare <path>',
    run: benchCompare,
  },
}

const DEFAULT_BENCHMARKS = ['service', 'hostile']

function printHelp(): void {
  console.log('npm run bench -- [name ...]\n')
  for (const [name, { summary }] of Object.entries(BENCHMARKS)) {
    console.log(`  ${name.padEnd(15)}${summary}`)
  }
  console.log('\nbench/README.md describes the output and the limits.')
}

/** The service reads these from beside its sources, which tsc copies to dist/bench. */
function linkFiles(): void {
  const server = ['public', 'share', 'zones'].map((name) => `packages/server/${name}`)
  const others = ['docs', 'packages/core/data', 'packages/operations/package.json']
  for (const name of [...others, ...server]) {
    const link = new URL(`../${name}`, import.meta.url)
    rmSync(link, { force: true })
    symlinkSync(new URL(`../../../${name}`, import.meta.url), link)
  }
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}

async function main(args: string[]): Promise<void> {
  const [first = '', ...rest] = args.length === 0 ? DEFAULT_BENCHMARKS : args
  if (first === '--help' || first === '-h') return printHelp()
  const names = [first, ...rest]
  const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name))
  const takesPath = first === 'compare' || first === 'plan'
  if (!takesPath && unknown.length > 0) {
    return fail(`No such benchmark: ${unknown.join(', ')}. --help lists them.`)
  }
  linkFiles()
  if (takesPath) return BENCHMARKS[first]?.run(rest[0])
  for (const name of names) await BENCHMARKS[name]?.run()
}

await main(process.argv.slice(2))
