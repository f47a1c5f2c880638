/** The paid reports: what they add, what they cost, and the form to buy one. */
import type { FormValues } from '../http/query-parameters.js'
import { isPaid, type PaidOperation } from '../operations/operation.js'
import { endpointDocsPath, PATHS, reportPagePath } from '../operations/service-paths.js'
import { fieldValue, HiddenExact, OwnerFields, SelectorFields } from './input-fields.js'
import { guidePath } from './page-paths.js'
import { useLink, useSite } from './site-context.js'

interface PaidReportsProps {
  /** Fills the forms. */
  readonly values: FormValues
  readonly isClean?: boolean
}

/** Nothing where nothing is for sale. */
export function PaidReports({ values, isClean = false }: PaidReportsProps) {
  const paid = useSite().operations.filter(isPaid)
  if (paid.length === 0) return null
  return (
    <section id="reports" aria-labelledby="reports-title">
      <h2 id="reports-title">Paid reports</h2>
      <HowToPay />
      {isClean && <p>There is nothing to fix here, so a fix plan would be empty.</p>}
      <ul class="paid-reports">
        {paid.map((operation) => (
          <li>
            <ReportOffer operation={operation} values={values} />
          </li>
        ))}
      </ul>
      <div id="purchased-reports" />
    </section>
  )
}

function HowToPay() {
  const link = useLink()
  return (
    <p>
      Pay per report in {useSite().money}, without an account: with a wallet in your browser, or
      with <a href={link(guidePath('payments'))}>x402</a> from an agent. You pay only when you get a
      report. We don’t keep reports. Yours stays in this tab until you close it, so print or save
      it.
    </p>
  )
}

interface ReportOfferProps {
  readonly operation: PaidOperation
  readonly values: FormValues
}

function ReportOffer({ operation, values }: ReportOfferProps) {
  const { price, summary, description, tool } = operation
  const link = useLink()
  return (
    <article>
      <h3>{tool?.title ?? summary}</h3>
      <p class="price">{price} USD</p>
      <p>{description}</p>
      <BuyForm operation={operation} values={values} />
      <p>
        <a href={link(endpointDocsPath(operation))}>See a sample report</a>
      </p>
    </article>
  )
}

const FIELDS = {
  domain: { label: 'Domain', placeholder: 'example.com' },
  email: { label: 'Email address', placeholder: 'ann@example.com' },
} as const

/** With the script, it buys in place; without, it opens the page of the report. */
export function BuyForm({ operation, values }: ReportOfferProps) {
  const { isSandbox } = useSite()
  const link = useLink()
  const name = 'email' in operation.input.shape ? 'email' : 'domain'
  const { label, placeholder } = FIELDS[name]
  const demoWallet = isSandbox ? { 'data-demo-wallet': link(PATHS.sandboxWallet) } : {}
  return (
    <form
      class="buy"
      action={link(reportPagePath(operation))}
      method="get"
      data-buy
      {...demoWallet}
    >
      <label>
        {label}
        <input
          name={name}
          value={fieldValue(values, name)}
          required
          maxlength={320}
          placeholder={placeholder}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </label>
      {'selector' in operation.input.shape && <SelectorFields values={values} />}
      {'unused' in operation.input.shape && <OwnerFields values={values} />}
      {'exact' in operation.input.shape && <HiddenExact values={values} />}
      {isSandbox ? (
        <>
          <button type="submit" value="demo">
            Buy with the demo wallet
          </button>
          <button type="submit" value="own" data-own-wallet hidden>
            Buy with my wallet
          </button>
        </>
      ) : (
        <button type="submit" value="own">
          Buy for {operation.price} USDC
        </button>
      )}
      <p role="status" />
      <noscript>
        <p>Turn on JavaScript to buy in the browser. Agents don’t need it.</p>
      </noscript>
    </form>
  )
}
