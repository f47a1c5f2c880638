/** The example request of an operation in three languages. */
import { exampleInput, isPaid, type Operation } from '@mailgrade/operations/operation'
import type { Child } from 'hono/jsx'
import { guidePath } from '../page-paths.js'
import { CopyableBlock } from '../parts/copyable.js'
import { useLink, useSite } from '../site-context.js'

const LANGUAGES = { curl: 'curl', javascript: 'JavaScript', python: 'Python' } as const
type Language = keyof typeof LANGUAGES

/** Radio buttons and CSS make the tabs, no script. */
export function ExampleTabs({ operation }: { operation: Operation }) {
  const url = exampleUrl(operation, useSite())
  const panels: Readonly<Record<Language, Child>> = {
    curl: <CopyableBlock text={curlExample(operation, url)} what="the command" />,
    javascript: (
      <>
        {isPaid(operation) && <PaymentSetup />}
        <CopyableBlock text={javaScriptExample(operation, url)} what="the JavaScript example" />
      </>
    ),
    python: (
      <>
        <CopyableBlock text={pythonExample(operation, url)} what="the Python example" />
        {isPaid(operation) && <PythonPayment />}
      </>
    ),
  }
  const languages = Object.keys(LANGUAGES) as Language[]
  return (
    <div class="tabs">
      <fieldset>
        <legend class="unseen">Language of the example</legend>
        {languages.map((language, index) => (
          <label>
            <input type="radio" name="language" value={language} checked={index === 0} />
            {LANGUAGES[language]}
          </label>
        ))}
      </fieldset>
      {languages.map((language) => (
        <div class="panel" data-language={language}>
          <h3 class="unseen">{LANGUAGES[language]}</h3>
          {panels[language]}
        </div>
      ))}
    </div>
  )
}

function PaymentSetup() {
  const { isSandbox, money } = useSite()
  const link = useLink()
  return (
    <>
      <p>
        Install the packages, and set <code>PAYER_PRIVATE_KEY</code> to the key of{' '}
        {isSandbox ? (
          <a href={link(SANDBOX_GUIDE)}>the demo wallet</a>
        ) : (
          <span>a wallet with {money}</span>
        )}
        .
      </p>
      <CopyableBlock text={PAYMENT_INSTALL_LINE} what="the install command" />
    </>
  )
}

const SANDBOX_GUIDE = `${guidePath('payments')}#the-sandbox`

function PythonPayment() {
  const link = useLink()
  return (
    <p>
      This prints the price and the offers. To pay, sign one of the offers and send the request
      again. See <a href={link(guidePath('payments'))}>Payments</a>.
    </p>
  )
}

interface ExampleSite {
  readonly baseUrl: string
  readonly isSandbox: boolean
}

/** URLSearchParams also encodes quotation marks, so the URL can be inside quotes. */
export function exampleUrl(operation: Operation, { baseUrl, isSandbox }: ExampleSite): string {
  return `${baseUrl}${operation.path}?${new URLSearchParams(exampleInput(operation, isSandbox))}`
}

/** For a paid operation with the headers, because one of them has the price. */
export function curlExample(operation: Operation, url: string): string {
  return `curl ${isPaid(operation) ? '-i ' : ''}'${url}'`
}

/** The packages that the JavaScript example of a paid operation imports. */
export const PAYMENT_INSTALL_LINE = 'npm install @x402/fetch @x402/evm viem'

export function javaScriptExample(operation: Operation, url: string): string {
  const field = mainField(operation)
  return isPaid(operation) ? payWithFetch(url, field) : callWithFetch(url, field)
}

function callWithFetch(url: string, field: string): string {
  return `const response = await fetch('${url}')
const report = await response.json()
if (!response.ok) throw new Error(\`\${response.status} \${report.code}: \${report.detail}\`)

console.log(report.${field})`
}

function payWithFetch(url: string, field: string): string {
  return `import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const wallet = privateKeyToAccount(process.env.PAYER_PRIVATE_KEY)
const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet))
const fetchWithPayment = wrapFetchWithPayment(fetch, client)

const response = await fetchWithPayment('${url}')
const report = await response.json()
if (!response.ok) throw new Error(\`\${response.status} \${report.code}: \${report.detail}\`)
const receipt = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE'))

console.log(report.${field}, receipt.transaction)`
}

/** With the standard library only. The example of a paid operation reads the price. */
function pythonExample(operation: Operation, url: string): string {
  return isPaid(operation) ? readPriceWithUrllib(url) : callWithUrllib(url, mainField(operation))
}

function callWithUrllib(url: string, field: string): string {
  return `import json
from urllib.error import HTTPError
from urllib.request import urlopen

try:
    with urlopen('${url}') as response:
        report = json.load(response)
except HTTPError as error:
    problem = json.load(error)
    raise SystemExit(f"{error.code} {problem['code']}: {problem['detail']}")

print(report['${field}'])`
}

function readPriceWithUrllib(url: string): string {
  return `import json
from urllib.error import HTTPError
from urllib.request import urlopen

try:
    urlopen('${url}')
except HTTPError as response:
    problem = json.load(response)
    print(response.code, problem['detail'])
    for offer in problem.get('accepts', []):
        print(offer['amount'], offer['asset'], offer['network'], offer['payTo'])`
}

const MAIN_FIELDS = ['score', 'verdict', 'summary', 'status'] as const

/** What a caller wants to know first. */
function mainField({ id, output }: Operation): string {
  const field = MAIN_FIELDS.find((name) => name in output.shape)
  if (field === undefined) throw new Error(`${id} has no field that says the result`)
  return field
}
