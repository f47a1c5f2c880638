/** What each mail service of the catalog needs for a mechanism. */
import {
  ALL_SERVICES,
  describeSetup,
  fillTemplate,
  hasUselessInclude,
  type MailService,
} from '@mailgrade/core'
import type { Child } from 'hono/jsx'
import type { MechanismName } from '../../content/generated/content.js'
import { mechanismPagePath } from '../page-paths.js'
import { FactList } from '../parts/fact-list.js'
import { useLink } from '../site-context.js'
import { EXAMPLE_DOMAIN, ScreenPath } from './dns-host-list.js'

interface Listing {
  /** Whether the catalog knows something about the service that concerns the mechanism. */
  readonly isListed: (service: MailService) => boolean
  readonly facts: (service: MailService) => Child
}

/** Mechanisms that are set up alike at every mail provider have none. */
export const SERVICE_LISTINGS: Readonly<Partial<Record<MechanismName, Listing>>> = {
  spf: {
    isListed: (service) => service.setup.spf.length > 0 || hasUselessInclude(service),
    facts: (service) => <SpfFacts service={service} />,
  },
  dkim: {
    isListed: ({ setup }) => setup.dkim !== null,
    facts: (service) => <DkimFacts service={service} />,
  },
  dmarc: {
    isListed: ({ setup }) => setup.dkim !== null || setup.spf.length > 0,
    facts: (service) => <DmarcFacts service={service} />,
  },
  mx: {
    isListed: ({ setup }) => setup.mx.length > 0,
    facts: (service) => <MxFacts service={service} />,
  },
  'mta-sts': {
    isListed: ({ setup }) => setup.mx.length > 0,
    facts: (service) => <MtaStsFacts service={service} />,
  },
}

const KINDS = {
  mailbox: 'Mailbox providers',
  sender: 'Newsletters, shops, apps, and other senders',
  gateway: 'Mail filters (gateways)',
  forwarder: 'Forwarding services',
} as const satisfies Record<MailService['kind'], string>

export function ServiceList({ listing }: { listing: Listing }) {
  const groups = Object.entries(KINDS).map(([kind, title]) => ({
    title,
    services: ALL_SERVICES.filter((service) => service.kind === kind && listing.isListed(service)),
  }))
  return (
    <>
      {groups
        .filter(({ services }) => services.length > 0)
        .map(({ title, services }) => (
          <details class="long-list">
            <summary>
              {title} ({services.length})
            </summary>
            <div class="setups">
              {services.map((service) => (
                <details>
                  <summary>{service.name}</summary>
                  {/* Inside, because browsers open the section when a link leads to something in it. */}
                  <div id={`service-${service.id}`}>{listing.facts(service)}</div>
                </details>
              ))}
            </div>
          </details>
        ))}
    </>
  )
}

interface ServiceProps {
  readonly service: MailService
}

function fill(template: string, { id }: MailService): string {
  return fillTemplate(template, EXAMPLE_DOMAIN, id)
}

function SpfFacts({ service }: ServiceProps) {
  const { spf, spfSteps } = service.setup
  if (spf.length === 0) {
    return (
      <p>
        You don’t need a term for {service.name} in your SPF record. <DkimLink service={service} />
      </p>
    )
  }
  return (
    <>
      <FactList
        facts={spf.map(({ terms, forMx }) => [
          forMx === undefined
            ? spf.length > 1
              ? 'Otherwise'
              : 'Term'
            : `If your mail server is ${forMx} or ends in .${forMx}`,
          <code>{terms.map((term) => fill(term, service)).join(' ')}</code>,
        ])}
      />
      {spfSteps?.screen && (
        <p>
          Open <ScreenPath screen={spfSteps.screen} />. {spfSteps.getValues} {spfSteps.turnOn}
        </p>
      )}
      {service.setup.dkim && (
        <p>
          <DkimLink service={service} />
        </p>
      )}
    </>
  )
}

/** A service without a DKIM setup in the catalog has no entry to link to. */
function DkimLink({ service: { id, name, setup } }: ServiceProps) {
  const link = useLink()
  if (setup.dkim === null) return <>Ask {name} how to sign mail as your domain.</>
  return <a href={`${link(mechanismPagePath('dkim'))}#service-${id}`}>Set up DKIM for {name}</a>
}

function DkimFacts({ service }: ServiceProps) {
  const { dkim } = service.setup
  if (dkim === null) return null
  const { screen, records, shownAs, hasOnlyShortKeys } = dkim
  return (
    <>
      <FactList
        facts={[
          [
            'What to do',
            <>
              {describeSetup(service.name, dkim)}
              {screen?.confirmed && <small> As of {screen.confirmed}.</small>}
            </>,
          ],
          shownAs ? ['When it works, you see', shownAs] : null,
          hasOnlyShortKeys
            ? ['Key length', 'This service only offers 1024-bit keys, so use one of those.']
            : null,
        ]}
      />
      {records.map(({ selector, type, value, below }) => (
        <RecordRow
          type={type}
          name={`${fill(selector, service)}._domainkey.${below ? `${fill(below, service)}.` : ''}${EXAMPLE_DOMAIN}`}
          value={fill(value, service)}
        />
      ))}
    </>
  )
}

function RecordRow({ type, name, value }: { type: string; name: string; value: string }) {
  return (
    <dl class="record">
      <dt>Type</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>Full name</dt>
      <dd>
        <code>{name}</code>
      </dd>
      <dt>Value</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </dl>
  )
}

/** SPF counts for DMARC only with the From domain in the bounce address. */
const PASSES_WITH = {
  never: 'DKIM only. It uses its own bounce address, so SPF doesn’t count.',
  optional: 'DKIM. SPF only counts with certain settings.',
  always: 'SPF or DKIM. Set up both, because SPF breaks when mail is forwarded.',
} as const satisfies Record<MailService['returnPathAtRoot'], string>

function DmarcFacts({ service }: ServiceProps) {
  const { setup, returnPathAtRoot, defaultDmarc } = service
  const link = useLink()
  const screen = setup.dkim?.screen
  return (
    <>
      <FactList
        facts={[
          [
            'Its mail passes with',
            setup.dkim === null
              ? 'SPF. We don’t know how to set up DKIM for it.'
              : PASSES_WITH[returnPathAtRoot],
          ],
          screen ? ['DKIM settings', <ScreenPath screen={screen} />] : null,
          defaultDmarc
            ? [
                'Record it sets up for you',
                <>
                  {defaultDmarc.type}{' '}
                  {defaultDmarc.values.map((value) => (
                    <code class="text">{value}</code>
                  ))}
                </>,
              ]
            : null,
        ]}
      />
      <p>
        {setup.dkim === null ? (
          <a href={`${link(mechanismPagePath('spf'))}#service-${service.id}`}>
            Set up SPF for {service.name}
          </a>
        ) : (
          <DkimLink service={service} />
        )}
      </p>
    </>
  )
}

function MxFacts({ service }: ServiceProps) {
  return (
    <ul class="plain">
      {service.setup.mx.map((record) => (
        <li>
          <code>{fill(record, service)}</code>
        </li>
      ))}
    </ul>
  )
}

/** Without the priority, as the policy file lists them. */
function MtaStsFacts({ service }: ServiceProps) {
  const { mx, mtaSts = [] } = service.setup
  return (
    <>
      <ul class="plain">
        {mx.map((record) => (
          <li>
            <code>mx: {fill(record, service).replace(/^\d+ /, '')}</code>
          </li>
        ))}
      </ul>
      {mtaSts.length > 0 && (
        <>
          <p>{service.name} hosts the policy file for you. Publish these records instead:</p>
          {mtaSts.map(({ label, target }) => (
            <RecordRow
              type="CNAME"
              name={`${label}.${EXAMPLE_DOMAIN}`}
              value={fill(target, service)}
            />
          ))}
        </>
      )}
    </>
  )
}
