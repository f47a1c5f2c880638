/** Reports as organizations send them, a file for each day and organization. */
import { aggregateFile } from '@mailgrade/testing/aggregate-file'
import {
  BEGIN,
  buildAggregateReport,
  DAY,
  type RecordValues,
} from '@mailgrade/testing/build-aggregate-report'
import { readAggregateReports } from '../src/read-aggregate-reports.js'
import type { DomainSummary } from '../src/summarize-domain.js'

export interface Story {
  /** Beside 200 messages a day that pass; day 1 is the first. */
  readonly sends: (day: number) => readonly RecordValues[]
  readonly days?: number
  readonly policy?: Readonly<Record<string, string>>
  /** Reports about other domains of the same owner. */
  readonly otherDomains?: readonly string[]
  readonly notMine?: readonly string[]
  readonly mine?: readonly string[]
  /** Days between the last report and today. */
  readonly age?: number
  /** The names of reporters on a day. */
  readonly reporters?: (day: number) => readonly string[]
}

const ORGANIZATIONS = ['google.com', 'yahoo.com', 'mail.example']

export async function tell(story: Story): Promise<DomainSummary> {
  const {
    sends,
    days = 35,
    policy = {},
    otherDomains = [],
    notMine = [],
    mine = [],
    age = 1,
  } = story
  const { reporters = () => ORGANIZATIONS } = story
  const files = Array.from({ length: days }, (_, index) => index + 1).flatMap((day) => {
    const begin = BEGIN + day * DAY
    const report = (org: string, domain: string, records: readonly RecordValues[]) => {
      const published = { domain, p: 'none', ...policy }
      const values = { org, id: `${day}`, begin, end: begin + DAY - 1, policy: published, records }
      return aggregateFile(buildAggregateReport(values))
    }
    return [
      ...reporters(day).map((org, index) =>
        report(org, 'example.com', [{ count: 200 }, ...(index === 0 ? sends(day) : [])]),
      ),
      ...otherDomains.map((domain) => report('google.com', domain, [{ headerFrom: domain }])),
    ]
  })
  const now = new Date((BEGIN + (days + age) * DAY) * 1000)
  const read = await readAggregateReports(() => files, { now, notMine, mine })
  const summary = read.domains.find(({ domain }) => domain === 'example.com')
  if (!summary) throw new Error('no reports')
  return summary
}

export const fails = { dkim: 'fail', spf: 'fail', dkimResults: [], spfResults: [] } as const
export const pass = (domain: string, selector = 's') => ({ domain, selector, result: 'pass' })

export const criterionOf = ({ rollout }: DomainSummary, id: string) =>
  rollout.criteria.find((criterion) => criterion.id === id)
export const sourceOf = (
  { sources }: DomainSummary,
  name: string,
  from: 'all' | 'failing' = 'all',
) => sources.find((source) => source.name === name && (from === 'all' || source.passing === 0))
export const stepsOf = ({ rollout }: DomainSummary, name: string) =>
  rollout.fixFirst.find((fix) => fix.name === name)?.steps ?? []
