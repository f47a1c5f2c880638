/** The page of one mechanism: what it is, why it matters, and how to set it up anywhere. */
import { FINDINGS } from '@mailgrade/core'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { MechanismName } from '../../content/generated/content.js'
import type { Mechanism } from '../../content/mechanism.js'
import type { Page } from '../layout.js'
import { FINDING_IDS, mechanismPagePath } from '../page-paths.js'
import { TextWithCode } from '../parts/inline-text.js'
import { useLink } from '../site-context.js'
import { createAcronymExpander } from './acronyms.js'
import { DnsHostList } from './dns-host-list.js'
import { FindingLinks } from './finding-page.js'
import { MECHANISM_NAMES, MECHANISMS, mechanismTitle } from './mechanisms.js'
import { SERVICE_LISTINGS, ServiceList } from './service-list.js'

export function mechanismPage(name: MechanismName): Page {
  const mechanism = MECHANISMS[name]
  return {
    title: mechanismTitle(mechanism),
    description: mechanism.summary,
    body: <MechanismBody name={name} mechanism={mechanism} />,
  }
}

function MechanismBody({ name, mechanism }: { name: MechanismName; mechanism: Mechanism }) {
  const link = useLink()
  const { acronym, fullName, what, why, example, otherParts, file, steps, form } = mechanism
  const { services = '' } = mechanism
  const expand = createAcronymExpander([acronym])
  const listing = SERVICE_LISTINGS[name]
  const findings = FINDING_IDS.filter((id) => FINDINGS[id].mechanism === name)
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={link(PATHS.learn)}>Learn</a>
      </nav>
      <h1>{mechanismTitle(mechanism)}</h1>
      <h2 id="what">What it is</h2>
      <Paragraphs texts={[`${acronym} is short for ${fullName}.`, ...what.map(expand)]} />
      <h2 id="why">Why it matters</h2>
      <Paragraphs texts={why.map(expand)} />
      <h2 id="example">An example, part by part</h2>
      <p>
        <TextWithCode text={expand(example.intro)} />
      </p>
      <p>
        <code class="text">{example.record}</code>
      </p>
      <PartList parts={example.parts.map(([part, meaning]) => [part, expand(meaning)])} />
      {otherParts && (
        <>
          <h3>Other parts you may see</h3>
          <PartList parts={otherParts.map(([part, meaning]) => [part, expand(meaning)])} />
        </>
      )}
      {file && (
        <>
          <h3>{file.title}</h3>
          {/* It may scroll, so it must be reachable with the keyboard. */}
          <pre class="sample" tabindex={0}>
            <code>{file.text}</code>
          </pre>
        </>
      )}
      <h2 id="steps">How to set it up</h2>
      <ol class="steps">
        {steps.map((step) => (
          <li>
            <TextWithCode text={expand(step)} />
          </li>
        ))}
      </ol>
      {listing && (
        <section aria-labelledby="services">
          <h2 id="services">At your mail provider and other services</h2>
          <p>
            <TextWithCode text={expand(services)} />
          </p>
          <ServiceList listing={listing} />
        </section>
      )}
      <section aria-labelledby="dns-hosts">
        <h2 id="dns-hosts">{expand('At your DNS host')}</h2>
        <p>{expand(form ? ENTERED : TURNED_ON)}</p>
        <DnsHostList form={form} />
      </section>
      {findings.length > 0 && (
        <section aria-labelledby="findings">
          <h2 id="findings">What our check can find</h2>
          <details class="long-list">
            <summary>
              {findings.length === 1 ? '1 finding' : `All ${findings.length} findings`}
            </summary>
            <FindingLinks ids={findings} />
          </details>
        </section>
      )}
      <OtherMechanisms name={name} />
    </>
  )
}

const ENTERED =
  'Every DNS host’s form is different. These examples are for the domain example.com. The TTL (time to live) is how long others keep the old value. If you have a choice, 3600 seconds is fine.'

const TURNED_ON =
  'You turn it on with your domain’s DNS host. The list shows where each host keeps your records. The switch is often nearby, but some hosts don’t have one.'

function Paragraphs({ texts }: { texts: readonly string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p>
          <TextWithCode text={text} />
        </p>
      ))}
    </>
  )
}

function PartList({ parts }: { parts: readonly (readonly [part: string, meaning: string])[] }) {
  return (
    <dl class="facts">
      {parts.map(([part, meaning]) => (
        <div>
          <dt>
            <code>{part}</code>
          </dt>
          <dd>
            <TextWithCode text={meaning} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function OtherMechanisms({ name }: { name: MechanismName }) {
  const link = useLink()
  return (
    <nav aria-labelledby="others">
      <h2 id="others">Keep reading</h2>
      <ul class="plain">
        {MECHANISM_NAMES.filter((other) => other !== name).map((other) => (
          <li>
            <a href={link(mechanismPagePath(other))}>{mechanismTitle(MECHANISMS[other])}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
