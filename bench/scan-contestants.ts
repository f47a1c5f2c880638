/** The same 1,000 domains, checked by ours, by dns-auth-check and by mailauth. */
import { openBenchEnvironment } from './bench-environment.js'
import { RESOLVER_DELAY_MS, SCAN_COPIES, SCAN_IN_FLIGHT } from './bench-targets.js'
import type { ScanContestant, ScanResult, ScanVerdict } from './scan-worker.js'

/** Runs the contestants one after the other, each in its own process on the same core. */
export async function runScanContestants(): Promise<Record<ScanContestant, ScanResult>> {
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS, 'ordinary', SCAN_COPIES)
  const run = (name: ScanContestant) =>
    environment.runScanContestant(name, SCAN_COPIES, SCAN_IN_FLIGHT[name])
  try {
    return {
      mailgrade: await run('mailgrade'),
      'dns-auth-check': await run('dns-auth-check'),
      mailauth: await run('mailauth'),
    }
  } finally {
    await environment.stop()
  }
}

export interface VerdictDifference {
  readonly domain: string
  readonly ours: ScanVerdict
  readonly theirs: ScanVerdict
}

/** The domains about which two contestants disagree. */
export function compareVerdicts(ours: ScanResult, theirs: ScanResult): VerdictDifference[] {
  return Object.entries(ours.verdicts).flatMap(([domain, our]) => {
    const their = theirs.verdicts[domain]
    const isSame = our.isSpfValid === their?.isSpfValid && our.dmarcPolicy === their.dmarcPolicy
    return isSame || !their ? [] : [{ domain, ours: our, theirs: their }]
  })
}
