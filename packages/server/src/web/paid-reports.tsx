/** What the paid reports add, what they cost, and how to pay. */

import { isPaid, type PaidOperation } from '../operations/operation.js'
import { OPERATIONS } from '../operations/operations.js'
import { endpointDocsPath, reportPagePath } from '../operations/pages.js'
import { PATHS } from '../operations/service-paths.js'
import { describeCurrency } from '../payments/payment-terms.js'
import { guidePath } from './page-paths.js'
import { useLink, useSite } from './site-context.js'

const PAID = OPERATIONS.filter(isPaid)

/** `domain` is the one on the page; empty where there is none. */
export function PaidReports({ domain, isClean = false }: { domain: string; isClean?: boolean }) {
  return (
    <section id="reports" aria-labelledby="reports-title">
      <h2 id="reports-title">What the paid reports add</h2>
      <HowToPay />
      {isClean && <p>Nothing needs mending here, so that a plan would be empty.</p>}
      <ul class="shop">
        {PAID.map((operation) => (
          <li>
            <Article operation={operation} domain={domain} />
          </li>
        ))}
      </ul>
      <div id="bought" />
    </section>
  )
}

function HowToPay() {
  const link = useLink()
  return (
    <p>
      Paid one by one, in {describeCurrency(useSite())}, without an account. People pay with a
      wallet in the browser, agents by <a href={link(guidePath('payments'))}>x402</a> over HTTP or
      MCP. Only a report is charged, so that a typo or a fault of ours costs nothing. We do not keep
      reports: a tab has them until it is closed, so print or save what you buy.
    </p>
  )
}

function Article({ operation, domain }: { operation: PaidOperation; domain: string }) {
  const { price, summary, description, tool } = operation
  const link = useLink()
  return (
    <article>
      <h3>{tool?.title ?? summary}</h3>
      <p class="price">{price} USD</p>
      <p>{description}</p>
      <BuyForm operation={operation} value={'domain' in operation.input.shape ? domain : ''} />
      <p>
        <a href={link(endpointDocsPath(operation))}>What it answers, with an example</a>
      </p>
    </article>
  )
}

const FIELDS = {
  domain: { label: 'Domain', placeholder: 'example.com' },
  email: { label: 'Email address', placeholder: 'ann@example.com' },
} as const

/** With the script it buys on the spot; without, it leads to the page of the report. */
export function BuyForm({ operation, value }: { operation: PaidOperation; value: string }) {
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
          value={value}
          required
          maxlength={320}
          placeholder={placeholder}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </label>
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
        <p>To buy in the browser, allow scripts. An agent needs none.</p>
      </noscript>
    </form>
  )
}
