/** The command lines that the golden files are about; each name is that of its file. */
interface Case {
  readonly name: string
  readonly line: readonly string[]
  /** Whether it takes `--resolver`. */
  readonly needsDns?: boolean
}

export const CASES: readonly Case[] = [
  { name: 'check-good', line: ['good.test'] },
  { name: 'check-monitoring', line: ['check', 'monitoring.test'] },
  { name: 'check-lookups', line: ['check', 'lookups.test'] },
  { name: 'check-parked', line: ['check', 'parked.test'] },
  { name: 'check-nothing', line: ['check', 'nothing.test'] },
  { name: 'check-several', line: ['check', 'good.test', 'nowhere.test', 'parked.test'] },
  { name: 'check-selector', line: ['check', 'selector.test', '--selector', 'acme2026'] },
  { name: 'plan-monitoring', line: ['plan', 'monitoring.test'] },
  { name: 'plan-lookups', line: ['plan', 'lookups.test'] },
  { name: 'score', line: ['score', 'monitoring.test'] },
  { name: 'spf', line: ['spf', 'lookups.test'] },
  { name: 'spf-ip', line: ['spf', 'good.test', '--ip', '192.0.2.97'] },
  { name: 'dkim', line: ['dkim', 'monitoring.test'] },
  { name: 'dmarc', line: ['dmarc', 'monitoring.test'] },
  { name: 'mx', line: ['mx', 'good.test'] },
  { name: 'address', line: ['address', 'sales@good.test'] },
  { name: 'check-csv', line: ['check', 'monitoring.test', '--format', 'csv'] },
  { name: 'check-markdown', line: ['check', 'monitoring.test', '--format', 'markdown'] },
  { name: 'check-junit', line: ['check', 'monitoring.test', 'good.test', '--format', 'junit'] },
  { name: 'check-sarif', line: ['check', 'monitoring.test', '--format', 'sarif'] },
  { name: 'dmarc-json', line: ['dmarc', 'monitoring.test', '--format', 'json'] },
  { name: 'plan-out', line: ['plan', 'good.test', '--out', 'plans'] },
  // One at a time, because the order of results is that in which they are ready.
  {
    name: 'scan-csv',
    line: ['scan', 'domains.txt', '--format', 'csv', '--concurrency', '1', '--html', 'scan.html'],
  },
  { name: 'scan-brief', line: ['scan', 'domains.txt', '--brief', '--concurrency', '1'] },
  { name: 'reports', line: ['reports', 'reports'], needsDns: false },
  { name: 'reports-csv', line: ['reports', 'reports', '--format', 'csv'], needsDns: false },
  { name: 'watch', line: ['watch', 'good.test', 'monitoring.test', '--state', 'state.json'] },
  { name: 'completion', line: ['completion', 'fish'], needsDns: false },
  { name: 'international', line: ['check', 'müller.test', 'rätsel\u200b.test'] },
  { name: 'not-a-domain', line: ['check', '192.0.2.1'] },
  { name: 'help', line: ['--help'], needsDns: false },
  { name: 'help-check', line: ['check', '--help'], needsDns: false },
  { name: 'no-arguments', line: [], needsDns: false },
  { name: 'unknown-command', line: ['scna', 'domains.txt'], needsDns: false },
  { name: 'unknown-option', line: ['check', 'good.test', '--formt', 'json'], needsDns: false },
]
