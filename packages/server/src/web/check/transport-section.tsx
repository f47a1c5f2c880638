/** What the domain publishes about the way its mail travels; for information. */
import type { TransportRecord, TransportReport } from '@mailgrade/core'
import { FactList } from '../parts/fact-list.js'
import { CheckSection } from './check-section.js'

export function TransportSection({ report }: { report: TransportReport }) {
  const { mtaSts, tlsRpt, bimi, dnssec } = report
  return (
    <CheckSection id="transport" title="Transport encryption and brand logo">
      <FactList
        facts={[
          ['MTA-STS', <Standing published={mtaSts} />],
          ['TLS reports', <Standing published={tlsRpt} />],
          ['BIMI', <Standing published={bimi} />],
          ['DNSSEC', dnssec.validated ? 'validated' : 'not validated'],
        ]}
      />
    </CheckSection>
  )
}

function Standing({ published: { name, present, record, valid } }: { published: TransportRecord }) {
  if (!present) return <>not published at {name}</>
  if (record === null) return <>more than one record at {name}</>
  return (
    <>
      <code class="text">{record}</code>
      {!valid && ' (not valid)'}
    </>
  )
}
