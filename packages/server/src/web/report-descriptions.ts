/** The paid reports in words for people. The descriptions of the API are for developers. */
import type { PaidOperation } from '@mailgrade/operations/operation'

interface ReportDescription {
  /** A noun. */
  readonly name: string
  /** What it is, in a line. */
  readonly line: string
  /** What the buyer gets, in two sentences. */
  readonly contents: string
}

const DESCRIPTIONS: ReadonlyMap<string, ReportDescription> = new Map([
  [
    'score',
    {
      name: 'Score',
      line: 'A number from 0 to 100, why it isn’t higher, and the first three fixes.',
      contents:
        'You get a number from 0 to 100 with a grade, the points for SPF, DMARC, DKIM and MX, and the reason for every missing point. The first three fixes say what to publish and how many points each gains.',
    },
  ],
  [
    'emailCheck',
    {
      name: 'Email check',
      line: 'Whether mail to one address can arrive. We send nothing to it.',
      contents:
        'You learn whether the domain of the address accepts mail, and whether the address is disposable, a role, a placeholder or mistyped. We look only at DNS and send nothing, so we can’t see whether the mailbox exists.',
    },
  ],
  [
    'fixPlan',
    {
      name: 'Fix plan',
      line: 'The exact records to publish, in order, with steps for your DNS host.',
      contents:
        'You get every DNS record to publish, change or delete, in an order that loses no mail, with steps for your DNS host and your mail services. DMARC becomes stricter in stages with dates. You can download the plan as a zone file, as Terraform code for many DNS hosts, and as a calendar.',
    },
  ],
])

export function describeReport({ id, summary }: PaidOperation): ReportDescription {
  return DESCRIPTIONS.get(id) ?? { name: summary, line: '', contents: `${summary}.` }
}
