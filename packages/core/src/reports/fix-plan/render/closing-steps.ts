/** The steps after the records: read the reports, tighten the policy, show a logo. */
import type { DnsHost } from '../../../catalog/dns-hosts.js'
import type { RolloutStage } from '../fix-plan-report.js'
import type { Zone } from '../planned-record.js'
import { say, writeSaid } from '../say.js'
import { checkUrl, type StepDraft } from './step-draft.js'

interface ClosingInput {
  readonly domain: string
  readonly rollout: readonly RolloutStage[]
  /** The earliest days of the stages, by stage. */
  readonly dates: ReadonlyMap<number, string>
  /** The record of the first stage is published today. */
  readonly isPublished: boolean
  readonly host: DnsHost | null
  readonly zone: Zone
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

const OPTIONAL = { kind: 'publish', stream: null, when: 'optional', notBefore: null } as const

const READER =
  'Each receiver sends one compressed XML file a day. Save the files in a folder and run the free command npx mailgrade reports <folder>. You’ll see who sends as you, and whether the next stage is safe. A DMARC report service can also do this for you. Most give you an address to add to rua= in the DMARC record.'

function reportSteps({
  domain,
  rollout,
  dates,
  isPublished,
  host,
  zone,
  policyPlace,
  panelName,
  baseUrl,
}: ClosingInput): StepDraft[] {
  const [first, next] = rollout
  if (!first || !next) return []
  // A host reads only the reports on the zone itself.
  const isZone = next.record.name === `_dmarc.${zone.apex}` && policyPlace === null
  const own = isZone && host ? host.panel.dmarcReports : undefined
  const goOn = isPublished
    ? `Stage 1 is already published. Move on to stage ${next.stage} once stage 1 has been published for at least ${first.minimumDays} days and you meet all its conditions.`
    : `Move on to stage ${next.stage} once you meet all the conditions of stage 1, but not before ${dates.get(next.stage)}.`
  return [
    {
      kind: 'rollout',
      stream: null,
      when: 'later',
      notBefore: dates.get(next.stage) ?? null,
      title: 'Read the reports, then tighten the policy in stages',
      service: null,
      where: own && host ? `${host.name}: ${own.screen}` : describeMailbox(policyPlace, next),
      actions: [
        ...(own && host ? readAtHost(host.name, own.address, first) : [READER]),
        'In the reports, find each service that sends your mail, and check that it passes DMARC. Look at everything that fails. It’s either forged, forwarded, or from one of your senders that isn’t set up yet.',
        goOn,
        describeChange(
          first,
          next,
          policyPlace ? `the service that runs ${policyPlace}` : panelName,
        ),
      ],
      records: [],
      onlyIf: next.onlyIf,
      optional: false,
      verify: {
        text: 'The DMARC check should show the policy of the stage you’re in.',
        url: checkUrl(baseUrl, 'dmarc', domain),
      },
    },
  ]
}

function describeMailbox(policyPlace: string | null, { dashboard }: RolloutStage): string {
  if (dashboard) return describeDashboard(dashboard)
  return policyPlace
    ? `The service that runs ${policyPlace}, or your report mailbox`
    : 'Your report mailbox'
}

/** Nothing if the host gets the reports already. */
function readAtHost(host: string, address: string, { record }: RolloutStage): string[] {
  return record.value.includes(address)
    ? []
    : [
        `Turn on DMARC reporting there. ${host} adds its own address to rua= in your DMARC record and shows you the reports. Keep that address in rua= in later stages.`,
      ]
}

function describeChange(first: RolloutStage, next: RolloutStage, place: string): string {
  return next.dashboard
    ? writeSaid([say('stage.dashboard', { place: describeDashboard(next.dashboard) })])
    : `${changeRecord(first, next)} Do this at ${place}.`
}

function describeDashboard({ service, screen }: NonNullable<RolloutStage['dashboard']>): string {
  return screen ? `${service}: ${screen}` : service
}

/** A domain that inherits its policy gets a record of its own in the second stage. */
function changeRecord({ record: current }: RolloutStage, { record, stage }: RolloutStage): string {
  return current.name === record.name
    ? `For each stage, change the value of the TXT record \`${record.name}\` to the one for that stage.`
    : `For stage ${stage}, add a TXT record named \`${record.name}\`, and leave \`${current.name}\` as it is. For later stages, replace the value of the new record.`
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
      ...OPTIONAL,
      title: 'Require encryption for incoming mail (MTA-STS)',
      service: null,
      where: 'Your web server and your DNS host',
      actions: [
        `In DNS, point \`mta-sts.${domain}\` to a web server that has a certificate for that name.`,
        `Publish a text file at https://mta-sts.${domain}/.well-known/mta-sts.txt with these ${policy.length} lines: ${policy.map((line) => `\`${line}\``).join(', ')}.`,
        `Then add a TXT record named \`_mta-sts.${domain}\` with the value \`v=STSv1; id=${id}\`.`,
        'After two weeks without failures in the TLS reports, change the mode to enforce, and give the record a new id.',
      ],
      records: [],
      onlyIf: `You can publish a file over HTTPS at mta-sts.${domain}.`,
      optional: true,
      verify: {
        text: 'The domain check should show the MTA-STS record.',
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
      ...OPTIONAL,
      title: 'Show your logo next to your mail (BIMI)',
      service: null,
      where: 'Your web server and your DNS host',
      actions: [
        'Save your logo as SVG Tiny PS, and publish it on your website over HTTPS.',
        'Buy a mark certificate for it, because Gmail and Apple Mail show logos only with one. A VMC requires a registered trademark, but a CMC doesn’t.',
        `Add a TXT record named \`default._bimi.${domain}\` with the value \`v=BIMI1; l=<URL of the logo>; a=<URL of the certificate>\`.`,
      ],
      records: [],
      onlyIf: 'Your DMARC policy is p=quarantine or p=reject for all mail, without t=y.',
      optional: true,
      verify: {
        text: 'The domain check should show the BIMI record.',
        url: checkUrl(baseUrl, 'check', domain),
      },
    },
  ]
}
