/** The terms of use, in plain words. */
import { isPaid } from '@mailgrade/operations/operation'
import type { Page } from '../layout.js'
import { guidePath } from '../page-paths.js'
import { formatAmount } from '../parts/format-amount.js'
import { useLink, useSite } from '../site-context.js'
import { Contact } from './contact.js'

export function termsPage(): Page {
  return {
    title: 'Terms',
    description: 'What you can expect from this service, and what you can’t.',
    body: <Terms />,
  }
}

function Terms() {
  const { name, limit, windowSeconds, terms } = useSite()
  return (
    <>
      <h1>Terms</h1>
      <h2>What you get</h2>
      <p>
        {name} reads the public records of a domain and says what they mean. A result is true for
        the moment in which the records were read.
      </p>
      <h2>As is, without warranty</h2>
      <p>
        We provide the service as it is. We don’t promise that it is always available, that a result
        is complete, or that your mail arrives. No check can prove that a domain can’t be forged.
      </p>
      <h2>Your own changes</h2>
      <p>
        You decide what to publish in DNS (the Domain Name System), and you are responsible for it.
        A wrong record can stop your mail. Before a change, note the old value. Change one thing at
        a time, and test it. If mail goes missing, put the old value back.
      </p>
      <h2>Free checks</h2>
      <p>
        You can make {limit} free checks in {windowSeconds} seconds. Please don’t try to get around
        this limit, and don’t use the service to harm others.
      </p>
      {terms && <PaidReports />}
      <Contact before="Questions about these terms? Write to" />
    </>
  )
}

function PaidReports() {
  const { money, operations, contactEmail, isSandbox } = useSite()
  const link = useLink()
  return (
    <>
      <h2>Paid reports</h2>
      <p>You pay in {money}. You see the price before you pay:</p>
      <ul>
        {operations.filter(isPaid).map(({ summary, price, tool }) => (
          <li>
            {tool?.title ?? summary}: {formatAmount(price)} USD
          </li>
        ))}
      </ul>
      <p>
        You pay only when you get a report. A typing mistake or a failed lookup costs nothing. We
        don’t store reports, so save yours.
      </p>
      {isSandbox && <p>This is a demo. Its money is play money and worth nothing.</p>}
      <h2 id="refunds">Refunds</h2>
      <p>
        Were you charged and got no report? Send the same payment again first: try again on the same
        page, in the same tab. It returns the report and never charges twice.
      </p>
      <p>
        If that no longer works, you get the amount back. It goes to the wallet that paid, on the
        same network.{' '}
        {contactEmail === null
          ? 'Ask the operator of this site, with the number of the transaction.'
          : 'Write to us with the number of the transaction.'}{' '}
        <a href={link(guidePath('accounting'))}>How refunds work</a>
      </p>
    </>
  )
}
