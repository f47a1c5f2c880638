/** What the domain publishes about the way its mail travels; for information. */
import type { Published, TransportReport } from '@mailgrade/core'
import { Facts } from '../parts/facts.js'
import { Section } from './section.js'

export function TransportSection({ report }: { report: TransportReport }) {
  const { mtaSts, tlsRpt, bimi, dnssec } = report
  return (
    <Section id="transport" title="Transport encryption and brand logo">
      <Facts
        facts={[
          ['MTA-STS', <Standing published={mtaSts} />],
          ['TLS reports', <Standing published={tlsRpt} />],
          ['BIMI', <Standing published={bimi} />],
          ['DNSSEC', dnssec.validated ? 'validated' : 'not validated'],
        ]}
      />
    </Section>
  )
}

function Standing({ published: { name, present, record, valid } }: { published: Published }) {
  if (!present) return <>not published at {name}</>
  if (record === null) return <>more than one record at {name}</>
  return (
    <>
      <code class="text">{record}</code>
      {!valid && ' (not valid)'}
    </>
  )
}
