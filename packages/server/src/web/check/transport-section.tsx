/** Transport encryption and BIMI, for information only. */
import type { TransportRecord, TransportReport } from '@mailgrade/core'
import { FactList } from '../parts/fact-list.js'
import { CheckSection } from './check-section.js'

const UNREACHABLE = 'unknown: we couldn’t reach DNS'

export function TransportSection({ report }: { report: TransportReport }) {
  const { mtaSts, tlsRpt, bimi, dnssec } = report
  return (
    <CheckSection
      id="transport"
      title="Transport encryption and brand logo"
      about="Optional records. They don’t change the result."
    >
      <FactList
        facts={[
          ['MTA-STS (encrypted delivery)', <PublishedRecord published={mtaSts} />],
          ['TLS-RPT (delivery reports)', <PublishedRecord published={tlsRpt} />],
          ['BIMI (brand logo)', <BimiRecord bimi={bimi} />],
          ['DNSSEC (signed DNS)', describeDnssec(dnssec.validated)],
        ]}
      />
    </CheckSection>
  )
}

function describeDnssec(validated: boolean | null): string {
  if (validated === null) return UNREACHABLE
  return validated ? 'on: signatures are valid' : 'off: no valid signatures found'
}

function BimiRecord({ bimi }: { bimi: TransportReport['bimi'] }) {
  return (
    <>
      <PublishedRecord published={bimi} />
      {bimi.inherited && bimi.record !== null && ` (from ${bimi.name})`}
    </>
  )
}

function PublishedRecord({
  published: { name, present, record, valid },
}: {
  published: TransportRecord
}) {
  if (present === null) return <>{UNREACHABLE}</>
  if (!present) return <>not published at {name}</>
  if (record === null) return <>more than one record at {name}</>
  return (
    <>
      <code class="text">{record}</code>
      {!valid && ' (not valid)'}
    </>
  )
}
