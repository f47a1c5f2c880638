/** Advice survives its own check: every proposed record is published over the zone and checked again. */

import type { Dns } from '@mailgrade/doh/dns'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../test/support/dkim-fixture.js'
import {
  formatZoneLines,
  RANDOM_ZONE_DOMAIN,
  randomZone,
} from '../../../test/support/random-zones.js'
import { SEVERITIES } from '../../catalog/severities.js'
import type { Finding } from '../../checks/finding.js'
import type { DomainName } from '../../names/domain-name.js'
import { createOverlayDns } from '../overlay-dns.js'
import { gradeReports } from '../score/build-score-report.js'
import { checkDomain } from './check-domain.js'
import { runChecks } from './run-checks.js'

const RUNS = 2_000

async function look(dns: Dns, domain: string) {
  let label = 0
  const random = { randomLabel: () => `made-up-${++label}` }
  const checked = await checkDomain(dns, domain as DomainName, random)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  const { mx, spf, dmarc, dkim, transport } = checked.report
  label = 0
  const reports = await runChecks(dns, domain as DomainName, random)
  if (reports.kind !== 'report') throw new Error(`no report but ${reports.kind}`)
  const findings = [mx, spf, dmarc, dkim, transport].flatMap(({ issues }) => issues)
  return { findings, score: gradeReports(reports.report).score }
}

/** Publishes each proposed record alone, and returns what is wrong with it. */
async function carryOutAdvice(zone: string, domain: string) {
  const dns = zoneDns(zone)
  const before = await look(dns, domain)
  const proposed = before.findings.filter(({ record }) => record)
  const problems: string[] = []
  for (const { id, record } of proposed) {
    if (!record) continue
    const advice = `${id}: ${record.name} ${record.type} "${record.value}"`
    const aliases = await dns.query(record.name, 'CNAME')
    if (aliases.kind === 'records') problems.push(`${advice} is beside a CNAME`)
    const after = await look(createOverlayDns(dns, [record]), domain)
    if (after.findings.some((one) => one.id === id)) problems.push(`${advice} does not fix it`)
    if (after.score < before.score) problems.push(`${advice} lowers the score`)
    const added = after.findings.filter((one) => isNew(one, before.findings))
    problems.push(...added.map((one) => `${advice} causes ${one.severity} ${one.id}`))
  }
  return { ids: proposed.map(({ id }) => id), problems }
}

/** Above info, and not there before, or less severe. */
function isNew({ id, severity }: Finding, before: readonly Finding[]): boolean {
  const rank = SEVERITIES.indexOf(severity)
  const known = before.filter((one) => one.id === id)
  return severity !== 'info' && !known.some((one) => SEVERITIES.indexOf(one.severity) <= rank)
}

/** Every finding that can propose a record must occur, so the test is not trivial. */
const PROPOSING = [
  'spf.missing',
  'spf.multiple-records',
  'spf.neutral-all',
  'spf.no-all',
  'spf.duplicate-include',
  'spf.mailbox-provider-missing',
  'dmarc.bad-tags',
  'dmarc.no-reports',
  'dmarc.policy-quarantine',
  'dmarc.subdomains-weaker',
  'mx.implicit',
]

test('on random zones', async () => {
  const counts = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(randomZone, async (lines) => {
      const { ids, problems } = await carryOutAdvice(formatZoneLines(lines), RANDOM_ZONE_DOMAIN)
      expect(problems).toEqual([])
      for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
    }),
    // A fixed seed: the same zones in every run.
    { numRuns: propertyRuns(RUNS), seed: 7208 },
  )
  const isComplete = propertyRuns(RUNS) >= RUNS
  if (isComplete) expect([...counts.keys()]).toEqual(expect.arrayContaining(PROPOSING))
})

test.each([
  ['nothing.test', 'nothing.test. TXT "x"'],
  ['nothing.test', 'nothing.test. MX 0 .'],
  [
    'acme.test',
    `acme.test. MX 0 .
     acme.test. TXT "v=spf1; ip4:192.0.2.1 -all"
     ${keyZoneLine('default')}`,
  ],
  ['www.acme.test', 'www.acme.test. CNAME host.test.\nhost.test. TXT "v=spf1 ip4:192.0.2.1 ?all"'],
  ['www.acme.test', 'www.acme.test. A 192.0.2.1\n_dmarc.acme.test. TXT "v=DMARC1; p=reject"'],
  ['acme.test', 'acme.test. TXT "v=spf1 -all"\n_dmarc.acme.test. CNAME gone.test.'],
])('for %s in %j', async (domain, zone) => {
  const { problems } = await carryOutAdvice(zone, domain)
  expect(problems).toEqual([])
  const { findings } = await look(zoneDns(zone), domain)
  const mailboxes = findings.filter(({ record }) => record?.value.includes(`@${domain}`))
  expect(mailboxes).toEqual([])
})
