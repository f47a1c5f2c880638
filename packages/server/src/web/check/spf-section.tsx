/** SPF: the record, what it costs, and the tree of records it leads to. */
import type { SpfReport } from '@mailgrade/core'
import { FactList, RecordText } from '../parts/fact-list.js'
import { CheckSection } from './check-section.js'
import { LookupBudget } from './lookup-budget.js'
import { hasUncountedLookups, SpfTreeView } from './spf-tree-view.js'

const REST = {
  pass: 'passes: anybody may send',
  fail: 'fails (-all)',
  softfail: 'is marked as doubtful (~all)',
  neutral: 'gets no judgement (?all, or no all)',
}

export function SpfSection({ report }: { report: SpfReport }) {
  const { status, records, allResult, lookupCount, lookupLimit, voidLookupCount, senders } = report
  return (
    <CheckSection id="spf" title="SPF: who may send" status={status}>
      {records.length === 0 ? (
        <p>There is no record.</p>
      ) : (
        records.map((it) => <RecordText>{it}</RecordText>)
      )}
      {records.length > 0 && (
        <>
          {records.length > 1 && <p>What one record would cost that says the same:</p>}
          <LookupBudget
            used={lookupCount}
            limit={lookupLimit}
            isMinimum={hasUncountedLookups(report.tree)}
          />
          <SpfTreeView tree={report.tree} terms={report.terms} />
          <FactList
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
    </CheckSection>
  )
}
