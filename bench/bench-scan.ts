/**
 * `mailgrade scan` beside two other checkers: speed, CPU time, memory and verdicts. The others check
 * one domain at a time, so they run 40 domains one after another, and then all of them with our own
 * concurrency limit.
 */
import { installMailauth } from '@mailgrade/testing/mailauth'
import { openBenchEnvironment } from './bench-environment.js'
import { RESOLVER_DELAY_MS, SCAN_COPIES, SCAN_IN_FLIGHT, SCAN_TARGETS } from './bench-targets.js'
import { printTarget, roundTo } from './measure.js'
import type { ScanContestant, ScanResult } from './scan-worker.js'

const OTHERS = ['dns-auth-check', 'mailauth'] as const

export async function benchScan(): Promise<void> {
  installMailauth()
  await compareWithOthers()
  await compareMemory()
}

async function compareWithOthers(): Promise<void> {
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS)
  const run = (name: ScanContestant) =>
    environment.runScanContestant(name, SCAN_COPIES.few, SCAN_IN_FLIGHT)
  try {
    const ours = await run('mailgrade')
    const rows: Record<string, object> = { 'mailgrade scan': toRow(ours, ours) }
    const speeds: number[] = []
    for (const name of OTHERS) {
      const alone = await environment.runScanContestant(name, SCAN_COPIES.alone, 1)
      speeds.push(alone.domainsPerSecond)
      rows[`${name}, as documented`] = toRow(alone, ours)
      rows[`${name}, ${SCAN_IN_FLIGHT} at a time`] = toRow(await run(name), ours)
    }
    console.log(`\n${Object.keys(ours.verdicts).length} domains, ${RESOLVER_DELAY_MS} ms per query`)
    console.table(rows)
    const speedup = ours.domainsPerSecond / Math.max(...speeds)
    console.log(`${roundTo(speedup)} × the fastest of the others, as documented`)
    printTarget(`≥ ${SCAN_TARGETS.minSpeedup} ×`, [['speed', speedup >= SCAN_TARGETS.minSpeedup]])
    printCpuTarget(ours)
  } finally {
    await environment.stop()
  }
}

function toRow(result: ScanResult, ours: ScanResult) {
  return {
    'domains per second': roundTo(result.domainsPerSecond),
    'CPU ms per domain': roundTo(result.cpuMsPerDomain, 2),
    'peak memory, MB': Math.round(result.peakMemory / 1_000_000),
    'verdicts unlike ours': countDifferences(ours, result),
  }
}

function countDifferences(ours: ScanResult, theirs: ScanResult): number {
  return Object.entries(theirs.verdicts).filter(([domain, their]) => {
    const our = ours.verdicts[domain]
    return our?.isSpfValid !== their.isSpfValid || our.dmarcPolicy !== their.dmarcPolicy
  }).length
}

/** With the start of the program, which weighs most in a short list. */
function printCpuTarget({ cpuMsPerDomain }: ScanResult): void {
  printTarget(`≤ ${SCAN_TARGETS.maxCpuMs} ms of CPU per domain`, [
    [`${roundTo(cpuMsPerDomain, 2)} ms`, cpuMsPerDomain <= SCAN_TARGETS.maxCpuMs],
  ])
}

/** Both without a delay, so 100,000 domains take minutes and not hours. */
async function compareMemory(): Promise<void> {
  const environment = await openBenchEnvironment(0)
  try {
    const run = (copies: number) =>
      environment.runScanContestant('mailgrade', copies, SCAN_IN_FLIGHT)
    const few = await run(SCAN_COPIES.few)
    const many = await run(SCAN_COPIES.many)
    const ratio = many.peakMemory / few.peakMemory
    console.log(
      `Peak memory: ${Math.round(few.peakMemory / 1_000_000)} MB with ${Object.keys(few.verdicts).length} domains, ${Math.round(many.peakMemory / 1_000_000)} MB with ${Object.keys(many.verdicts).length}`,
    )
    printTarget(`≤ ${SCAN_TARGETS.maxMemoryRatio} ×`, [
      ['memory', ratio <= SCAN_TARGETS.maxMemoryRatio],
    ])
    printCpuTarget(many)
  } finally {
    await environment.stop()
  }
}
