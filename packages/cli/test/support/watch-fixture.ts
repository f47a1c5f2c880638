/** Runs of `mailgrade watch` over zones that change from one to the next. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FailureReason } from '@mailgrade/doh/dns'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { onTestFinished } from 'vitest'
import { type RunOptions, runMailgrade } from './run-mailgrade.js'

/** The text of a DKIM key. */
export const key = (bits: 1024 | 2048) => `v=DKIM1; k=rsa; p=${SPKI[bits]}`

/** A well protected domain; a story changes some of its records. */
const GOOD = {
  mx: '10 mail.good.test.',
  spf: 'v=spf1 mx -all',
  dmarc: 'v=DMARC1; p=reject; rua=mailto:d@good.test',
  google: key(2048),
}

export function zoneOf(changes: Partial<Record<keyof typeof GOOD | 'zone', string>> = {}): string {
  const { mx, spf, dmarc, google, zone } = { zone: '', ...GOOD, ...changes }
  const records = [
    `mail.good.test. A 192.0.2.1`,
    mx && `good.test. MX ${mx}`,
    spf && `good.test. TXT "${spf}"`,
    dmarc && `_dmarc.good.test. TXT "${dmarc}"`,
    google && `google._domainkey.good.test. TXT ${toStrings(google)}`,
    zone,
  ]
  return `${records.filter(Boolean).join('\n')}\n`
}

/** A TXT record has strings of up to 255 characters. */
export function toStrings(text: string): string {
  return (text.match(/.{1,200}/g) ?? []).map((part) => `"${part}"`).join(' ')
}

export function createStatePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'state.json')
}

/** DNS that answers from a zone, except for these queries. */
export function dnsOf(
  zone: string,
  failing: Record<string, FailureReason> = {},
): Partial<RunOptions> {
  return { openDns: () => ({ ...zoneDns(zone, failing), close() {} }) }
}

/** Runs once per zone, and returns the last result. */
export async function watch(
  runs: readonly (string | Partial<RunOptions>)[],
  options: readonly string[] = [],
  state = createStatePath(),
) {
  let last = { exitCode: 0, stdout: '', stderr: '' }
  for (const run of runs) {
    const line = ['watch', 'good.test', '--state', state, '--format', 'ndjson', ...options]
    last = await runMailgrade(line, typeof run === 'string' ? dnsOf(run) : run)
  }
  const result = last.stdout === '' ? null : JSON.parse(last.stdout)
  return { ...last, result, changes: result?.changes?.map(toLine) as string[], state }
}

export function toLine(change: Record<string, string | null>): string {
  return `${change.direction}: ${change.subject}: ${change.before} → ${change.after}`
}
