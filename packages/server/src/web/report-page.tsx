/** The page of a paid report: the offer, or the report itself with its receipt. */
import { formatUtc, toVisibleValue } from '@mailgrade/core'
import { emailCheck } from '@mailgrade/operations/email-check'
import { fixPlan } from '@mailgrade/operations/fix-plan'
import {
  exampleInput,
  type Operation,
  type OperationResult,
  type PaidOperation,
} from '@mailgrade/operations/operation'
import type { ProblemDetails } from '@mailgrade/operations/problem-details'
import { score } from '@mailgrade/operations/score'
import { reportPagePath, sampleReportPath } from '@mailgrade/operations/service-paths'
import type { Child, FC } from 'hono/jsx'
import type { FormValues } from '../http/query-parameters.js'
import type { SettlementResponse } from '../payments/facilitator.js'
import { NETWORKS } from '../payments/payment-terms.js'
import { fieldValue, RequestedName, toQuery } from './input-fields.js'
import type { Page } from './layout.js'
import { guidePath } from './page-paths.js'
import { BuyForm, describeReport } from './paid-reports.js'
import { CopyableBlock } from './parts/copyable.js'
import { formatAmount } from './parts/format-amount.js'
import { ProblemNotice } from './problem-page.js'
import { EmailCheckView } from './reports/email-check-view.js'
import { FixPlanView } from './reports/fix-plan-view.js'
import { ScoreView } from './reports/score-view.js'
import { useLink, useSite } from './site-context.js'

interface RenderedReport {
  readonly report: OperationResult
  readonly body: Child
}

/** Every paid operation has a view here, by its id. */
const REPORT_VIEWS = new Map([
  reportView(score, ScoreView),
  reportView(emailCheck, EmailCheckView),
  reportView(fixPlan, FixPlanView),
])

export function hasReportView(id: string): boolean {
  return REPORT_VIEWS.has(id)
}

function reportView<Report extends object>(
  operation: Operation<Report>,
  View: FC<{ report: Report; values?: FormValues | undefined }>,
): [string, (json: string, values?: FormValues) => RenderedReport] {
  const render = (json: string, values?: FormValues) => {
    const report = operation.parseReport(json, toVisibleValue)
    return { report, body: <View report={report} values={values} /> }
  }
  return [operation.id, render]
}

export interface DeliveredReport {
  readonly operation: PaidOperation
  /** As JSON. */
  readonly report: string
  readonly settlement: SettlementResponse
  /** What was asked, for a form that asks again. */
  readonly values?: FormValues
}

export function deliveredReportPage(delivered: DeliveredReport): Page {
  const render = REPORT_VIEWS.get(delivered.operation.id)
  if (!render) throw new Error(`${delivered.operation.id} has no view`)
  return reportPage(delivered, render(delivered.report, delivered.values ?? {}))
}

/** The report on a demo domain, before anyone pays. */
export function sampleReportPage(operation: PaidOperation, sample: OperationResult): Page {
  const render = REPORT_VIEWS.get(operation.id)
  if (!render) throw new Error(`${operation.id} has no view`)
  const { report, body } = render(JSON.stringify(sample))
  const title = `Sample: ${describeReport(operation).name}`
  return {
    title,
    description: operation.summary,
    body: (
      <>
        <h1>{title}</h1>
        <section class="report" aria-label={title}>
          <h2>{reportTitle(operation, report)}</h2>
          {body}
        </section>
        <GetReport operation={operation} />
      </>
    ),
  }
}

function GetReport({ operation }: { operation: PaidOperation }) {
  const link = useLink()
  return (
    <p>
      <a class="button" href={link(reportPagePath(operation))}>
        Get yours for {formatAmount(operation.price)} USD
      </a>
    </p>
  )
}

/** `Fix plan for example.com` */
function reportTitle(operation: PaidOperation, report: object): string {
  return `${describeReport(operation).name} for ${reportSubject(report)}`
}

/** The report as JSON, as agents get it. */
export function deliveredReportJsonPage(delivered: DeliveredReport): Page {
  const report = delivered.operation.parseReport(delivered.report, toVisibleValue)
  const body = <CopyableBlock text={JSON.stringify(report, null, 2)} what="the report" />
  return reportPage(delivered, { report, body })
}

function reportPage(
  { operation, settlement }: DeliveredReport,
  { report, body }: RenderedReport,
): Page {
  const heading = reportTitle(operation, report)
  return {
    title: heading,
    description: operation.summary,
    isNoindex: true,
    body: (
      <section class="report" data-report={operation.id} aria-label={heading}>
        <h2 tabindex={-1}>{heading}</h2>
        <RequestedName report={report} path={reportPagePath(operation)} values={{}} />
        {body}
        <Receipt operation={operation} settlement={settlement} checkedAt={report.meta.checkedAt} />
      </section>
    ),
  }
}

/** The email address or domain that the report is about. */
function reportSubject(report: object): string {
  const { email, unicodeDomain, domain }: Readonly<Record<string, unknown>> = { ...report }
  return [email, unicodeDomain, domain].find((it) => typeof it === 'string') ?? ''
}

const KEPT_NOTES = new Map([[fixPlan.id, 'We keep a sealed copy for 24 hours, so save yours.']])

interface ReceiptProps extends Omit<DeliveredReport, 'report'> {
  readonly checkedAt: string
}

function Receipt({ operation, settlement, checkedAt }: ReceiptProps) {
  const { isSandbox, terms } = useSite()
  const { transaction } = settlement
  return (
    <p class="meta">
      {formatUtc(checkedAt)}. Paid {formatAmount(operation.price)} USD{isSandbox && ' (play money)'}
      {transaction && ', transaction '}
      {transaction &&
        (isSandbox || terms === null ? (
          <code>{transaction}</code>
        ) : (
          <a href={NETWORKS[terms.network].explorer + transaction}>
            <code>{transaction}</code>
          </a>
        ))}
      .{' '}
      {KEPT_NOTES.get(operation.id) ??
        'We don’t store reports, so print or save this page to keep yours.'}
    </p>
  )
}

/** The offer. `problem` says why a payment was rejected, or why there is no report. */
export function reportOfferPage(
  operation: PaidOperation,
  values: FormValues,
  problem: ProblemDetails | null,
): Page {
  const { summary } = operation
  const price = formatAmount(operation.price)
  const { name: title, contents } = describeReport(operation)
  return {
    title,
    description: summary,
    isNoindex: true,
    body: (
      <>
        {problem && <ProblemNotice {...problem} />}
        <section aria-labelledby="offer">
          {problem ? <h2 id="offer">{title}</h2> : <h1 id="offer">{title}</h1>}
          <p class="price">{price} USD</p>
          <p>{contents}</p>
          <p>
            You pay {price} USD once and don’t need an account. If we can’t make the report, for
            example because DNS doesn’t answer, you won’t be charged.
          </p>
          <p>
            <SampleLink operation={operation} />
          </p>
          <BuyForm operation={operation} values={values} />
          <div id="purchased-reports" />
          <ForAgents operation={operation} values={values} />
        </section>
      </>
    ),
  }
}

function SampleLink({ operation }: { operation: PaidOperation }) {
  const link = useLink()
  return <a href={link(sampleReportPath(operation))}>See a sample report</a>
}

function ForAgents({ operation, values }: { operation: PaidOperation; values: FormValues }) {
  const { baseUrl, isSandbox } = useSite()
  const link = useLink()
  // Also encodes quotation marks, so input cannot end the quotation of a copied shell command.
  const example = Object.entries(exampleInput(operation, isSandbox))
  const isFilled = example.every(([name]) => fieldValue(values, name) !== '')
  const query = isFilled ? toQuery(values) : new URLSearchParams(example)
  return (
    <div class="for-agents">
      <h2>Pay without a browser wallet</h2>
      <p>
        Agents and <a href={link(guidePath('payments'))}>x402 clients</a> pay at this URL. If you
        call it without a payment, you get the price:
      </p>
      <CopyableBlock text={`curl -i '${baseUrl}${operation.path}?${query}'`} what="the command" />
    </div>
  )
}
