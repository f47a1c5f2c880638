/** The page of a paid report: its price, or the report itself with the receipt. */
import type { FC } from 'hono/jsx'
import type { PaidOperation } from '../operations/operation.js'
import type { ProblemDetails } from '../operations/problem-details.js'
import type { Receipt } from '../payments/facilitator.js'
import { NETWORKS } from '../payments/terms.js'
import type { Page } from './layout.js'
import { CopiedBlock } from './parts/copied.js'
import { visible, visibleReport } from './parts/visible.js'
import { guidePath } from './paths.js'
import { ProblemNotice } from './problem-notice.js'
import { EmailView } from './reports/email-view.js'
import { PlanView } from './reports/plan-view.js'
import { ScoreView } from './reports/score-view.js'
import { BuyForm } from './shop.js'
import { useLink, useSite } from './site.js'

/** By operation; whoever adds a paid one adds its view here. */
const VIEWS: Readonly<Record<string, FC<{ report: never }>>> = {
  score: ScoreView,
  emailCheck: EmailView,
  fixPlan: PlanView,
}

export interface Sold {
  readonly operation: PaidOperation
  /** As JSON. */
  readonly report: string
  readonly receipt: Receipt
}

export function soldPage({ operation, report: text, receipt }: Sold): Page {
  const View = VIEWS[operation.id]
  if (!View) throw new Error(`${operation.id} has no view`)
  const report = visibleReport(JSON.parse(text))
  const subject = report.email ?? report.unicodeDomain ?? report.domain
  const title = operation.tool?.title ?? operation.summary
  return {
    title: `${title}: ${subject}`,
    description: operation.summary,
    isPrivate: true,
    body: (
      <section class="report" data-report aria-labelledby={`report-${operation.id}`}>
        <h2 id={`report-${operation.id}`} tabindex={-1}>
          {title}: {subject}
        </h2>
        <View report={report as never} />
        <Paid operation={operation} receipt={receipt} />
      </section>
    ),
  }
}

function Paid({ operation, receipt }: Omit<Sold, 'report'>) {
  const { isSandbox, terms } = useSite()
  const { transaction } = receipt
  return (
    <p class="meta">
      Paid {operation.price} USDC{isSandbox && ' in test dollars'}
      {transaction && ', transaction '}
      {transaction &&
        (isSandbox ? (
          <code>{transaction}</code>
        ) : (
          <a href={NETWORKS[terms.network].explorer + transaction}>
            <code>{transaction}</code>
          </a>
        ))}
      . The report is not stored: print this page, or save it.
    </p>
  )
}

/** Not sold yet; `trouble` says why a payment was not taken, or why there can be no report. */
export function unsoldPage(
  operation: PaidOperation,
  given: string | null,
  trouble: ProblemDetails | null,
): Page {
  const { tool, summary, price, description } = operation
  const title = tool?.title ?? summary
  return {
    title,
    description: summary,
    isPrivate: true,
    body: (
      <>
        {trouble && <ProblemNotice {...trouble} />}
        <section aria-labelledby="offer">
          {trouble ? <h2 id="offer">{title}</h2> : <h1 id="offer">{title}</h1>}
          <p class="price">{price} USD</p>
          <p>{description}</p>
          <BuyForm operation={operation} value={given === null ? null : visible(given)} />
          <div id="bought" />
          <ForAgents operation={operation} />
        </section>
      </>
    ),
  }
}

function ForAgents({ operation }: { operation: PaidOperation }) {
  const { baseUrl } = useSite()
  const link = useLink()
  const query = new URLSearchParams(operation.example)
  return (
    <>
      <h2>Without a wallet in the browser</h2>
      <p>
        An agent, or a program with an <a href={link(guidePath('payments'))}>x402 client</a>, pays
        at this address; without a payment it answers with the price:
      </p>
      <CopiedBlock text={`curl -i '${baseUrl}${operation.path}?${query}'`} what="the command" />
    </>
  )
}
