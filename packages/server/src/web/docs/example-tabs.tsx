/** The example of an endpoint in three languages. Radio buttons and CSS make the tabs, no script. */

import { isPaid, type Operation } from '@mailgrade/operations/operation'
import type { Child } from 'hono/jsx'
import { guidePath } from '../page-paths.js'
import { CopyableBlock } from '../parts/copyable.js'
import { useLink, useSite } from '../site-context.js'
import {
  curlExample,
  exampleUrl,
  javaScriptExample,
  PAYMENT_INSTALL_LINE,
  pythonExample,
} from './request-examples.js'

const LANGUAGES = { curl: 'curl', javascript: 'JavaScript', python: 'Python' } as const
type Language = keyof typeof LANGUAGES

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
      This prints the price and the offers. To pay, sign one of them and send the request again: see{' '}
      <a href={link(guidePath('payments'))}>Payments</a>.
    </p>
  )
}
