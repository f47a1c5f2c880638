import type { Dns, FailureReason } from '@mailgrade/doh/dns'
import { world } from '@mailgrade/testing/world'
import type { DomainName } from '../../src/names/domain-name.js'
import { scoreDomain } from '../../src/reports/score/score-domain.js'
import { scoreReportSchema } from '../../src/reports/score/score-report.js'
import { key, txt } from './dkim-story.js'

/** A domain with all its points; a story changes one piece of it. */
const ORDERLY = {
  mx: 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1\n',
  spf: txt('acme.test', 'v=spf1 ip4:192.0.2.1 -all'),
  dmarc: txt('_dmarc.acme.test', 'v=DMARC1; p=reject; rua=mailto:d@acme.test'),
  dkim: key('default'),
}

export function zoneOf(changes: Partial<typeof ORDERLY>): string {
  return Object.values({ ...ORDERLY, ...changes }).join('\n')
}

export const spf = (text: string, ...others: string[]) => ({
  spf: [text, ...others].map((each) => txt('acme.test', each)).join('\n'),
})

/** With a mailbox for reports, unless the tags say otherwise. */
export const dmarc = (tags: string) => ({
  dmarc: txt('_dmarc.acme.test', `v=DMARC1; ${tags}; rua=mailto:d@acme.test`),
})

interface Story {
  readonly domain?: string
  readonly failing?: Record<string, FailureReason>
  readonly through?: (dns: Dns) => Dns
}

export async function scored(zone: string, story: Story = {}) {
  const { domain = 'acme.test', failing = {}, through = (dns: Dns) => dns } = story
  const dns = world(zone, failing)
  let count = 0
  const checked = await scoreDomain(through(dns), domain as DomainName, {
    randomLabel: () => `made-up-${++count}`,
  })
  return { checked, asked: dns.asked }
}

export async function scoreOf(zone: string, story: Story = {}) {
  const { checked } = await scored(zone, story)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  scoreReportSchema.strict().parse(checked.report)
  return checked.report
}
