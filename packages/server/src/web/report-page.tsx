/** The page of a paid report: its price, or the report itself with the settlement. */
import type { Child, FC } from 'hono/jsx'
import type { PaidOperation } from '../operations/operation.js'
import type { ProblemDetails } from '../operations/problem-details.js'
import { exampleInput } from '../operations/sample-query.js'
import type { SettlementResponse } from '../payments/facilitator.js'
import { NETWORKS } from '../payments/payment-terms.js'
import type { Page } from './layout.js'
import { guidePath } from './page-paths.js'
import { BuyForm } from './paid-reports.js'
import { CopyableBlock } from './parts/copyable.js'
import { formatUtc } from './parts/format-utc.js'
import { toPageDisplayReport } from './parts/page-display-text.js'
import { ProblemNotice } from './problem-notice.js'
import { EmailCheckView } from './reports/email-check-view.js'
import { FixPlanView } from './reports/fix-plan-view.js'
import { ScoreView } from './reports/score-view.js'
import { useLink, useSite } from './site-context.js'

/** By the id of the operation; whoever adds a paid one adds its view here. */
export const REPORT_VIEWS: Readonly<Record<string, FC<{ report: never }>>> = {
  score: ScoreView,
  emailCheck: EmailCheckView,
  fixPlan: FixPlanView,
}

export interface DeliveredReport {
  readonly operation: PaidOperation
  /** As JSON. */
  readonly report: string
  readonly settlement: SettlementResponse
}

export function deliveredReportPage(sold: DeliveredReport): Page {
  const View = REPORT_VIEWS[sold.operation.id]
  if (!View) throw new Error(`${sold.operation.id} has no view`)
  return pageOf(sold, (report) => <View report={report as never} />)
}

/** The report as agents get it. */
export function deliveredReportJsonPage(sold: DeliveredReport): Page {
  return pageOf(sold, (report) => (
    <CopyableBlock text={JSON.stringify(report, null, 2)} what="the report" />
  ))
}

function pageOf(
  { operation, report: text, settlement }: DeliveredReport,
  show: (report: object) => Child,
): Page {
  const report = toPageDisplayReport(JSON.parse(text))
  const subject = report.email ?? report.unicodeDomain ?? report.domain
  const heading = `${operation.tool?.title ?? operation.summary}: ${subject}`
  return {
    title: heading,
    description: operation.summary,
    isNoindex: true,
    body: (
      <section class="report" data-report={operation.id} aria-label={heading}>
        <h2 tabindex={-1}>{heading}</h2>
        {show(report)}
        <Paid operation={operation} settlement={settlement} checkedAt={report.meta.checkedAt} />
      </section>
    ),
  }
}

interface PaidProps extends Omit<DeliveredReport, 'report'> {
  readonly checkedAt: string
}

function Paid({ operation, settlement, checkedAt }: PaidProps) {
  const { isSandbox, terms } = useSite()
  const { transaction } = settlement
  return (
    <p class="meta">
      {formatUtc(checkedAt)}. Paid {operation.price} {isSandbox ? 'in test dollars' : 'USDC'}
      {transaction && ', transaction '}
      {transaction &&
        (isSandbox ? (
          <code>{transaction}</code>
        ) : (
          <a href={NETWORKS[terms.network].explorer + transaction}>
            <code>{transaction}</code>
          </a>
        ))}
      . We do not keep the report: print this page, or save it.
    </p>
  )
}

/** Not sold yet; `trouble` says why a payment was not taken, or why there can be no report. */
export function reportOfferPage(
  operation: PaidOperation,
  given: string,
  trouble: ProblemDetails | null,
): Page {
  const { tool, summary, price, description } = operation
  const title = tool?.title ?? summary
  return {
    title,
    description: summary,
    isNoindex: true,
    body: (
      <>
        {trouble && <ProblemNotice {...trouble} />}
        <section aria-labelledby="offer">
          {trouble ? <h2 id="offer">{title}</h2> : <h1 id="offer">{title}</h1>}
          <p class="price">{price} USD</p>
          <p>{description}</p>
          <BuyForm operation={operation} value={given} />
          <div id="bought" />
          <ForAgents operation={operation} given={given} />
        </section>
      </>
    ),
  }
}

function ForAgents({ operation, given }: { operation: PaidOperation; given: string }) {
  const { baseUrl, isSandbox } = useSite()
  const link = useLink()
  const [[name, sample] = ['', '']] = Object.entries(exampleInput(operation, isSandbox))
  // Encodes quotation marks, too: what is copied into a shell must not end its own quotation.
  const query = new URLSearchParams({ [name]: given || sample })
  return (
    <>
      <h2>Without a wallet in the browser</h2>
      <p>
        An agent, or a program with an <a href={link(guidePath('payments'))}>x402 client</a>, pays
        at this address; without a payment it answers with the price:
      </p>
      <CopyableBlock text={`curl -i '${baseUrl}${operation.path}?${query}'`} what="the command" />
    </>
  )
}
