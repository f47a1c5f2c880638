/** SPF: the record, what it costs, and the tree of records it leads to. */
import type { SpfReport } from '@mailgrade/core'
import { Facts, Text } from '../parts/facts.js'
import { Budget } from './budget.js'
import { Section } from './section.js'
import { isMinimum, SpfTree } from './spf-tree.js'

const REST = {
  pass: 'passes: anybody may send',
  fail: 'fails (-all)',
  softfail: 'is marked as doubtful (~all)',
  neutral: 'gets no judgement (?all, or no all)',
}

export function SpfSection({ report }: { report: SpfReport }) {
  const { status, records, allResult, lookupCount, lookupLimit, voidLookupCount, senders } = report
  return (
    <Section id="spf" title="SPF: who may send" status={status}>
      {records.length === 0 ? <p>There is no record.</p> : records.map((it) => <Text>{it}</Text>)}
      {records.length > 0 && (
        <>
          {records.length > 1 && <p>What one record would cost that says the same:</p>}
          <Budget used={lookupCount} limit={lookupLimit} isMinimum={isMinimum(report.tree)} />
          <SpfTree tree={report.tree} terms={report.terms} />
          <Facts
            facts={[
              allResult && ['Everybody else', REST[allResult]],
              [
                'Lookups that find nothing',
                `${voidLookupCount}, and ${report.voidLookupLimit} are allowed`,
              ],
              senders.length > 0
                ? ['Known senders', senders.map(({ name }) => name).join(', ')]
                : null,
            ]}
          />
        </>
      )}
    </Section>
  )
}
