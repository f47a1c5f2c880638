/** The steps after the records: read the reports, tighten the policy, show a logo. */
import type { DnsHost } from '../../../catalog/find-dns-host.js'
import type { RolloutStage } from '../fix-plan-report.js'
import { REPORTS_TITLE } from '../write-summary.js'
import { checkUrl, type StepDraft } from './step-draft.js'

interface ClosingInput {
  readonly domain: string
  readonly rollout: readonly RolloutStage[]
  /** The earliest days of the stages, by stage. */
  readonly dates: ReadonlyMap<number, string>
  /** The record of the first stage is published today. */
  readonly isPublished: boolean
  readonly host: DnsHost | null
  readonly sendsMail: boolean
  /** A BIMI record is published. */
  readonly hasLogo: boolean
  readonly policy: string
  /** The mail servers for an MTA-STS policy; empty if none should be published. */
  readonly mtaStsHosts: readonly string[]
  readonly now: Date
  /** The name of the DMARC record, if another operator runs its zone. */
  readonly policyPlace: string | null
  /** The screen of the DNS host with its records. */
  readonly panelName: string
  readonly baseUrl: string | null
}

export function closingSteps(input: ClosingInput): StepDraft[] {
  return [...reportSteps(input), ...encryptionStep(input), ...logoStep(input)]
}

const READER =
  'The reports are compressed XML files, one a day from each receiver. Let a report reader show them: parsedmarc is free, and several services read the mailbox for you.'

function reportSteps({
  domain,
  rollout,
  dates,
  isPublished,
  host,
  policyPlace,
  panelName,
  baseUrl,
}: ClosingInput): StepDraft[] {
  const [first, next] = rollout
  if (!first || !next) return []
  const own = policyPlace === null ? host?.panel.dmarcReports : undefined
  const goOn = isPublished
    ? `Stage 1 is published already, and the time since then counts. After ${first.minimumDays} days in all, and when its conditions are true, go to stage ${next.stage}.`
    : `When the conditions of stage 1 are true, go to stage ${next.stage}, on ${dates.get(next.stage)} at the earliest.`
  return [
    {
      title: REPORTS_TITLE,
      service: null,
      where:
        own && host
          ? `${host.name}: ${own}`
          : policyPlace
            ? `The service that runs ${policyPlace}, or the mailbox for the reports`
            : 'The mailbox for the reports',
      actions: [
        ...(own && host
          ? [
              `Turn it on there: ${host.name} then adds an address of its own to rua and shows you the reports. Keep that address in the later stages.`,
            ]
          : [READER]),
        'Look for every service that sends your mail, and whether it passes DMARC. Mail that fails and is not yours is forged.',
        goOn,
        ...(policyPlace === null
          ? [`In each stage, enter the new record in place of the old one at ${panelName}.`]
          : [`In each stage, change the record at ${policyPlace}, at the service that runs it.`]),
      ],
      records: [],
      onlyIf: null,
      optional: false,
      verify: {
        text: 'The DMARC check shows the policy of the stage you are in.',
        url: checkUrl(baseUrl, 'dmarc', domain),
      },
    },
  ]
}

/** RFC 8461: the policy is a file on a web server, so no record is enough. */
function encryptionStep({ domain, mtaStsHosts, now, baseUrl }: ClosingInput): StepDraft[] {
  if (mtaStsHosts.length === 0) return []
  const policy = [
    'version: STSv1',
    'mode: testing',
    ...mtaStsHosts.map((host) => `mx: ${host}`),
    'max_age: 604800',
  ]
  const id = now.toISOString().slice(0, 10).replaceAll('-', '')
  return [
    {
      title: 'Protect mail to you from being read on the way (MTA-STS)',
      service: null,
      where: 'Your web server and your DNS host',
      actions: [
        `Publish a text file at https://mta-sts.${domain}/.well-known/mta-sts.txt with ${policy.length} lines: ${policy.map((line) => `\`${line}\``).join(', ')}.`,
        `Then add a TXT record named \`_mta-sts.${domain}\` with the value \`v=STSv1; id=${id}\`.`,
        'After two weeks without failures in the TLS reports, change the mode to enforce and the id to a new one.',
      ],
      records: [],
      onlyIf: `You can publish a file over HTTPS at mta-sts.${domain}.`,
      optional: true,
      verify: {
        text: 'The domain check shows the MTA-STS record.',
        url: checkUrl(baseUrl, 'check', domain),
      },
    },
  ]
}

/** RFC 9989 §9.6 leaves logos to BIMI, which needs an enforced policy. */
function logoStep({
  domain,
  rollout,
  sendsMail,
  hasLogo,
  policy,
  baseUrl,
}: ClosingInput): StepDraft[] {
  const isPossible = rollout.length > 0 || policy !== 'none'
  if (!sendsMail || hasLogo || !isPossible) return []
  return [
    {
      title: 'Show your logo beside your mail (BIMI)',
      service: null,
      where: 'Your web server and your DNS host',
      actions: [
        'Save your logo as SVG Tiny PS and publish it on your website over HTTPS.',
        'Get a mark certificate for it: Gmail and Apple Mail show logos only with one. A VMC needs a registered trademark, a CMC does not.',
        `Add a TXT record named default._bimi.${domain} with v=BIMI1, the URL of the logo in l= and that of the certificate in a=.`,
      ],
      records: [],
      onlyIf: 'The DMARC policy is p=quarantine or p=reject for all mail, without t=y.',
      optional: true,
      verify: {
        text: 'The domain check shows the BIMI record.',
        url: checkUrl(baseUrl, 'check', domain),
      },
    },
  ]
}
