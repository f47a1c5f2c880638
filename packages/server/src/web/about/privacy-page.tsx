/** What the software does with data; `docs/security.md` has the tests that show it. */
import type { Page } from '../layout.js'
import { guidePath } from '../page-paths.js'
import { useLink, useSite } from '../site-context.js'
import { Contact } from './contact.js'

export function privacyPage(): Page {
  return {
    title: 'Privacy',
    description: 'What this service reads, logs and keeps, and for how long.',
    body: <Privacy />,
  }
}

function Privacy() {
  const { name, terms } = useSite()
  const link = useLink()
  return (
    <>
      <h1>Privacy</h1>
      <p>
        {name} has no accounts and sets no cookies. It doesn’t log who checks which domain. This
        page describes what the software does.
      </p>
      <h2>What it reads</h2>
      <p>
        A check reads the records of a domain in DNS (the Domain Name System). They are public. Each
        check reads them again, because no answer is kept after it. Only the images for badges and
        shared links may be cached, by browsers and proxies, for up to an hour.
      </p>
      <h2>Who sees the domain</h2>
      <p>
        DNS resolvers look up the records for us, over an encrypted connection (DNS over HTTPS).
        They see the domain, but not your IP address (IP: Internet Protocol). Each report names
        them.
      </p>
      <p>The domain is also in the URL of the result, so your browser keeps it in its history.</p>
      <h2>What is logged</h2>
      <ul>
        <li>
          For a request: its number, the kind of page or check, the result code and how long it
          took. The log has no domain, no email address and no IP address.
        </li>
        {terms && (
          <li>
            For a sale: the kind of report, the outcome, the amount, and the number of the
            transaction. The log has no wallet address.
          </li>
        )}
        <li>
          For an error in the program: where in the program it happened. Its text may contain a
          domain, so it is left out.
        </li>
      </ul>
      <p>
        The operator decides how long to keep the log, and can switch on a more detailed log to look
        for a fault. It is off by default. While it is on, it also has the domains of lookups that
        failed.
      </p>
      <h2>Your IP address</h2>
      <p>
        We count free checks, so one person can’t use up the service for all others. For that, the
        server keeps your IP address in memory, or its network part for IPv6. It counts for about a
        minute, and later requests push it out. It is never written to the log.
      </p>
      <p>
        If several servers share the count, they also store it in coded form for a minute. The code
        changes every day.
      </p>
      <h2>Your browser</h2>
      <p>All scripts come from this site, and none from other companies. Nothing tracks you.</p>
      <p>The page keeps these in the session storage of the tab until you close the tab:</p>
      <ul>
        <li>The texts of your last free results, to show before and after.</li>
        <li>The language that you chose for the examples in the docs.</li>
        {terms && <li>The reports that you bought, and a payment that isn’t finished.</li>}
      </ul>
      {terms && <Payments />}
      <h2>More</h2>
      <p>
        <a href={link(guidePath('security'))}>How the service is protected</a>, for experts.
      </p>
      <Contact before="Questions about privacy? Write to" />
    </>
  )
}

function Payments() {
  const { money, isSandbox } = useSite()
  return (
    <>
      <h2>Payments</h2>
      <p>
        You pay in {money}.{' '}
        {isSandbox
          ? 'This is a demo, so no real money moves.'
          : 'Payments are public on the blockchain: everyone can see both wallet addresses, the amount and the time. The report and the domain are not on it.'}
      </p>
      <p>
        A payment service (facilitator) may check and settle the payment. It sees the signed
        payment. The server also keeps your wallet address in memory for a while, to limit payments
        that fail.
      </p>
      <p>
        We keep a fingerprint of each payment, its amount, its state and the number of its
        transaction, so no one is charged twice. They are deleted 24 hours after the payment has
        expired. The report is kept with them in encrypted form, for ten minutes at most, in case
        the connection breaks.
      </p>
    </>
  )
}
