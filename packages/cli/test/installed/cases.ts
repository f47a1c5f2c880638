/** Every command, and each of its formats. */
interface Case {
  readonly line: readonly string[]
  readonly exitCode: number
  /** Whether it takes `--resolver`. */
  readonly needsDns?: boolean
}

export const CASES: readonly Case[] = [
  { line: ['good.test'], exitCode: 0 },
  { line: ['check', 'monitoring.test'], exitCode: 1 },
  { line: ['check', 'lookups.test'], exitCode: 1 },
  { line: ['check', 'parked.test'], exitCode: 1 },
  { line: ['check', 'nothing.test'], exitCode: 1 },
  { line: ['check', 'good.test', 'nowhere.test', 'parked.test'], exitCode: 1 },
  { line: ['check', 'selector.test', '--selector', 'acme2026'], exitCode: 0 },
  { line: ['plan', 'monitoring.test'], exitCode: 1 },
  { line: ['plan', 'lookups.test'], exitCode: 1 },
  { line: ['score', 'monitoring.test'], exitCode: 1 },
  { line: ['spf', 'lookups.test'], exitCode: 1 },
  { line: ['spf', 'good.test', '--ip', '192.0.2.97'], exitCode: 0 },
  { line: ['dkim', 'monitoring.test'], exitCode: 0 },
  { line: ['dmarc', 'monitoring.test'], exitCode: 1 },
  { line: ['mx', 'good.test'], exitCode: 0 },
  { line: ['address', 'sales@good.test'], exitCode: 1 },
  { line: ['check', 'monitoring.test', '--format', 'csv'], exitCode: 1 },
  { line: ['check', 'monitoring.test', '--format', 'markdown'], exitCode: 1 },
  { line: ['check', 'monitoring.test', 'good.test', '--format', 'junit'], exitCode: 1 },
  { line: ['check', 'monitoring.test', '--format', 'sarif'], exitCode: 1 },
  { line: ['dmarc', 'monitoring.test', '--format', 'json'], exitCode: 1 },
  { line: ['plan', 'good.test', '--out', 'plans'], exitCode: 0 },
  // One at a time, because the order of results is that in which they are ready.
  {
    line: ['scan', 'domains.txt', '--format', 'csv', '--concurrency', '1', '--html', 'scan.html'],
    exitCode: 1,
  },
  { line: ['scan', 'domains.txt', '--brief', '--concurrency', '1'], exitCode: 1 },
  { line: ['reports', 'reports'], exitCode: 1, needsDns: false },
  { line: ['reports', 'reports', '--format', 'csv'], exitCode: 1, needsDns: false },
  { line: ['watch', 'good.test', 'monitoring.test', '--state', 'state.json'], exitCode: 0 },
  { line: ['completion', 'fish'], exitCode: 0, needsDns: false },
  { line: ['check', 'müller.test', 'rätsel\u200b.test'], exitCode: 2 },
  { line: ['check', '192.0.2.1'], exitCode: 2 },
  { line: ['--help'], exitCode: 0, needsDns: false },
  { line: ['check', '--help'], exitCode: 0, needsDns: false },
  { line: [], exitCode: 2, needsDns: false },
  { line: ['scna', 'domains.txt'], exitCode: 2, needsDns: false },
  { line: ['check', 'good.test', '--formt', 'json'], exitCode: 2, needsDns: false },
]
