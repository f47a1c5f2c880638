/** The paid reports: what they add, what they cost, and the form to buy one. */
import { fixPlan } from '@mailgrade/operations/fix-plan'
import { isPaid, type PaidOperation } from '@mailgrade/operations/operation'
import { PATHS, reportPagePath, sampleReportPath } from '@mailgrade/operations/service-paths'
import type { FormValues } from '../http/query-parameters.js'
import {
  fieldValue,
  HiddenExact,
  HiddenValues,
  OwnerFields,
  SelectorFields,
  VERBATIM_INPUT,
} from './input-fields.js'
import type { Page } from './layout.js'
import { guidePath } from './page-paths.js'
import { formatAmount } from './parts/format-amount.js'
import { useLink, useSite } from './site-context.js'

interface PaidReportsProps {
  /** The parameters of the page, which fill the forms. */
  readonly values: FormValues
  readonly isClean?: boolean
}

/** After the free answer: each report in a line, with the button to buy it for this domain. */
export function PaidReports({ values, isClean = false }: PaidReportsProps) {
  const paid = usePaidOperations().filter(({ id }) => !isClean || id !== fixPlan.id)
  if (paid.length === 0) return null
  return (
    <>
      <div id="purchased-reports" />
      <section id="reports" aria-labelledby="reports-title">
        <h2 id="reports-title">Paid reports</h2>
        {isClean && <p>There’s nothing to fix here, so you don’t need a fix plan.</p>}
        <ul class="paid-reports">
          {paid.map((operation) => (
            <li>
              <ReportLine operation={operation} />
              <BuyForm operation={operation} values={values} isDomainKnown />
            </li>
          ))}
        </ul>
        <HowToPay />
      </section>
    </>
  )
}

/** What is for sale and how to pay, with links to the pages where to buy. */
export function PaidReportList() {
  const paid = usePaidOperations()
  if (paid.length === 0) return null
  return (
    <section id="reports" aria-labelledby="reports-title">
      <h2 id="reports-title">Paid reports</h2>
      <ul class="paid-reports">
        {paid.map((operation) => (
          <li>
            <ReportLine operation={operation} />
            <BuyLink operation={operation} />
          </li>
        ))}
      </ul>
      <HowToPay />
    </section>
  )
}

/** Empty where nothing is for sale. */
function usePaidOperations(): PaidOperation[] {
  return useSite().operations.filter(isPaid)
}

function ReportLine({ operation }: { operation: PaidOperation }) {
  const link = useLink()
  const { name, line } = describeReport(operation)
  return (
    <p>
      <strong>{name}</strong> · <span class="price">{formatAmount(operation.price)} USD</span>
      <br />
      {line} <a href={link(sampleReportPath(operation))}>See a sample</a>
    </p>
  )
}

function BuyLink({ operation }: { operation: PaidOperation }) {
  const link = useLink()
  return (
    <a class="button" href={link(reportPagePath(operation))}>
      Get this report<span class="unseen">: {describeReport(operation).name}</span>
    </a>
  )
}

/** Before anyone presses a button. */
function HowToPay() {
  const { money } = useSite()
  const link = useLink()
  return (
    <>
      <h3>How to pay</h3>
      <p>You pay in {money}. You don’t need an account, and you only pay if you get a report.</p>
      <dl class="facts">
        <div>
          <dt>In your browser</dt>
          <dd>Pay with a crypto wallet. It asks you to confirm the price.</dd>
        </div>
        <div>
          <dt>From your code</dt>
          <dd>
            Use an <a href={link(guidePath('payments'))}>x402 client</a>. It takes a few lines.
          </dd>
        </div>
        <div>
          <dt>With an AI agent</dt>
          <dd>
            The agent pays on its own, over HTTP or <a href={link(guidePath('mcp'))}>MCP</a>.
          </dd>
        </div>
      </dl>
      <p>
        We delete our copies within a day. Until you close this tab, you’ll find yours under{' '}
        <a href={link(PATHS.reports)}>My reports</a>.
      </p>
    </>
  )
}

const FIELDS = {
  domain: { label: 'Domain', placeholder: 'example.com' },
  email: { label: 'Email address', placeholder: 'ann@example.com' },
} as const

interface BuyFormProps {
  readonly operation: PaidOperation
  /** Fills the form. */
  readonly values: FormValues
  /** The page is about this domain already. */
  readonly isDomainKnown?: boolean
}

/** With the script, it buys in place; without, it opens the page of the report. */
export function BuyForm({ operation, values, isDomainKnown = false }: BuyFormProps) {
  const { isSandbox } = useSite()
  const link = useLink()
  const { shape } = operation.input
  const name = 'email' in shape ? 'email' : 'domain'
  const demoWallet = isSandbox ? { 'data-demo-wallet': link(PATHS.sandboxWallet) } : {}
  return (
    <form
      class="buy"
      action={link(reportPagePath(operation))}
      method="get"
      data-buy
      {...demoWallet}
    >
      {name === 'domain' && isDomainKnown ? (
        <HiddenValues
          values={values}
          except={['exact', 'ip', 'sender', 'helo', ...('selector' in shape ? [] : ['selector'])]}
        />
      ) : (
        <SubjectField name={name} values={values} />
      )}
      {'selector' in shape && !isDomainKnown && <SelectorFields values={values} />}
      {'unused' in shape && <OwnerFields values={values} />}
      {'exact' in shape && <HiddenExact values={values} />}
      {isSandbox ? <SandboxButtons /> : <WalletButton price={formatAmount(operation.price)} />}
      <p role="status" />
    </form>
  )
}

function SubjectField({ name, values }: { name: keyof typeof FIELDS; values: FormValues }) {
  const { label, placeholder } = FIELDS[name]
  return (
    <label>
      {label}
      <input
        name={name}
        value={fieldValue(values, name)}
        required
        maxlength={320}
        placeholder={placeholder}
        {...VERBATIM_INPUT}
      />
    </label>
  )
}

function SandboxButtons() {
  return (
    <>
      <button type="submit" value="demo">
        Buy with the demo wallet
      </button>
      <button type="submit" value="own" data-own-wallet hidden>
        Buy with my wallet
      </button>
    </>
  )
}

/** Without a wallet the button would be a dead end, so the script shows it only with one. */
function WalletButton({ price }: { price: string }) {
  const link = useLink()
  return (
    <>
      <button type="submit" value="own" data-own-wallet hidden>
        Buy for {price} USDC
      </button>
      <p data-without-wallet>
        To buy here, you need JavaScript and a wallet in your browser.{' '}
        <a href={link(guidePath('payments'))}>Other ways to pay {price} USDC</a>
      </p>
    </>
  )
}

/** The reports that were bought in this tab, and what else is for sale. */
export function savedReportsPage(): Page {
  return {
    title: 'My reports in this tab',
    description: 'The reports you bought in this browser tab.',
    body: (
      <>
        <h1>My reports in this tab</h1>
        <p data-without-reports>
          You don’t have any reports yet. We don’t store them, so they stay in the browser tab where
          you bought them until you close it. This list needs JavaScript.
        </p>
        <div id="purchased-reports" data-all />
        <PaidReportList />
      </>
    ),
  }
}

interface ReportDescription {
  /** A noun. */
  readonly name: string
  /** What it is, in a line. */
  readonly line: string
  /** What the buyer gets, in two sentences. */
  readonly contents: string
}

/** In words for people. The descriptions of the API are for developers. */
const DESCRIPTIONS: ReadonlyMap<string, ReportDescription> = new Map([
  [
    'score',
    {
      name: 'Score',
      line: 'A score from 0 to 100, what cost you points, and your first three fixes.',
      contents:
        'You get a score from 0 to 100 and a grade, your points for SPF, DMARC, DKIM, and MX, and the reason for every point you lost. For the first three fixes, you see what to publish and how many points you’ll gain.',
    },
  ],
  [
    'emailCheck',
    {
      name: 'Email check',
      line: 'Find out whether an address can receive mail. We don’t send it anything.',
      contents:
        'You find out whether the address’s domain accepts mail, and whether the address is disposable, a role such as sales, a placeholder, or a typo. We only look at DNS and don’t send anything, so we can’t see whether the mailbox exists.',
    },
  ],
  [
    'fixPlan',
    {
      name: 'Fix plan',
      line: 'The exact records to publish, in order, with steps for your DNS host.',
      contents:
        'You get every DNS record to publish, change, or delete, in an order that won’t lose mail, with steps for your DNS host and your mail services. Your DMARC policy gets stricter in stages, each with a date. Download it as a zone file, Terraform code, or a calendar. Changing your answers is free for 24 hours.',
    },
  ],
])

export function describeReport({ id, summary }: PaidOperation): ReportDescription {
  return DESCRIPTIONS.get(id) ?? { name: summary, line: '', contents: `${summary}.` }
}
