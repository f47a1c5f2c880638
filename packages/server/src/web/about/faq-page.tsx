/** Questions and answers for people who use the check. */
import { LOOKUP_LIMIT } from '@mailgrade/core'
import { isPaid } from '@mailgrade/operations/operation'
import { endpointDocsPath, PATHS } from '@mailgrade/operations/service-paths'
import type { Child } from 'hono/jsx'
import type { Page } from '../layout.js'
import { findingPagePath, guidePath, mechanismPagePath } from '../page-paths.js'
import { formatAmount } from '../parts/format-amount.js'
import { useLink, useSite } from '../site-context.js'
import { Contact } from './contact.js'

const TITLE = 'Questions and answers'

export function faqPage(): Page {
  return {
    title: TITLE,
    description:
      'What the check costs, what it reads, what it stores, and how to fix what it finds.',
    body: <Faq />,
  }
}

interface Question {
  readonly id: string
  readonly question: string
  readonly Answer: () => Child
}

function Faq() {
  const { terms } = useSite()
  const questions = [...QUESTIONS, ...(terms ? PAYMENT_QUESTIONS : [])]
  return (
    <>
      <h1>{TITLE}</h1>
      <p>
        Three records in DNS (the Domain Name System) protect your mail: SPF (who may send), DKIM
        (signed mail) and DMARC (what happens to forged mail).
      </p>
      <nav aria-label="Questions">
        <ul class="plain">
          {questions.map(({ id, question }) => (
            <li>
              <a href={`#${id}`}>{question}</a>
            </li>
          ))}
        </ul>
      </nav>
      {questions.map(({ id, question, Answer }) => (
        <section aria-labelledby={id}>
          <h2 id={id}>{question}</h2>
          {Answer()}
        </section>
      ))}
      <Contact before="Another question? Write to" />
    </>
  )
}

const QUESTIONS: readonly Question[] = [
  {
    id: 'free',
    question: 'Is it free?',
    Answer: () => <FreeAnswer />,
  },
  {
    id: 'difference',
    question: 'Which three records do I need?',
    Answer: () => <RecordsAnswer />,
  },
  {
    id: 'no-mail',
    question: 'Do I need this if my domain never sends mail?',
    Answer: () => (
      <>
        <p>
          Yes. Forgers like such domains, because no one notices. First make sure that no web form,
          device or subdomain sends mail with this domain, and that no one writes to it. Then three
          records protect it:
        </p>
        <ul>
          <li>
            at the domain, a text (TXT) record: <code>v=spf1 -all</code>
          </li>
          <li>
            at <code>_dmarc</code>, a TXT record: <code>v=DMARC1; p=reject</code>
          </li>
          <li>
            at the domain, a mail server (MX) record with priority <code>0</code> and a single dot
            as the server
          </li>
        </ul>
      </>
    ),
  },
  {
    id: 'gmail',
    question: 'Why does Gmail put my mail into spam?',
    Answer: () => (
      <>
        <p>
          There are many reasons, and some are in the text of a message. One of them is in our
          report: Gmail, Yahoo and Outlook want to see that your mail is really yours. From people
          who send a lot of mail they require SPF, DKIM and DMARC.
        </p>
        <p>
          Open such a message in Gmail and choose “Show original”. If SPF, DKIM or DMARC doesn’t say
          PASS, start there.
        </p>
      </>
    ),
  },
  {
    id: 'reject',
    question: 'Will p=reject break my mail?',
    Answer: () => <RejectAnswer />,
  },
  {
    id: 'wait',
    question: 'How long until a change shows?',
    Answer: () => (
      <p>
        Often minutes, usually within an hour, sometimes a day. It depends on the TTL (time to live)
        of the old record. We keep no answers between two checks, but the resolvers we query do.
        Browsers and proxies may cache badge and share images for up to an hour.
      </p>
    ),
  },
  {
    id: 'selector',
    question: 'What is a selector?',
    Answer: () => <SelectorAnswer />,
  },
  {
    id: 'test-mail',
    question: 'Do you send test messages?',
    Answer: () => (
      <p>
        No. We only read public DNS records. We never contact your mail servers and never send mail.
      </p>
    ),
  },
  {
    id: 'unknown',
    question: 'Why does a result say “unknown”?',
    Answer: () => (
      <p>
        Missing and unknown are different. If DNS doesn’t answer, or can’t answer, we say “unknown”
        and don’t count it against you. Try again in a few minutes. For DKIM, enter your selector.
      </p>
    ),
  },
  {
    id: 'prove',
    question: 'How do I prove that a fix works?',
    Answer: () => <ProveAnswer />,
  },
  {
    id: 'lookups',
    question: 'Why does SPF stop after 10 lookups?',
    Answer: () => <LookupsAnswer />,
  },
  {
    id: 'all',
    question: 'Should SPF end in ~all or -all?',
    Answer: () => (
      <p>
        Use <code>~all</code> if your domain sends mail. Some receivers refuse mail because of{' '}
        <code>-all</code> before they look at its signature, and forwarded mail is lost. Use{' '}
        <code>-all</code> if your domain sends no mail.
      </p>
    ),
  },
  {
    id: 'reports',
    question: 'What are DMARC reports, and who reads them?',
    Answer: () => (
      <p>
        Large receivers send you a file each day. It lists the servers that sent mail as your
        domain, and what passed. The files are made for programs, so use a DMARC report reader.
        There are free ones.
      </p>
    ),
  },
  {
    id: 'others',
    question: 'Can I check a domain that isn’t mine?',
    Answer: () => (
      <p>
        Yes. The records we read are public, and every mail server reads them too. Checking a domain
        changes nothing there.
      </p>
    ),
  },
  {
    id: 'data',
    question: 'Is my data stored?',
    Answer: () => <DataAnswer />,
  },
]

const PAYMENT_QUESTIONS: readonly Question[] = [
  {
    id: 'pay',
    question: 'How do I pay for a report?',
    Answer: () => <PayAnswer />,
  },
  {
    id: 'usdc',
    question: 'What are USDC and x402?',
    Answer: () => <UsdcAnswer />,
  },
  {
    id: 'no-report',
    question: 'I paid and got no report. What now?',
    Answer: () => <NoReportAnswer />,
  },
]

function FreeAnswer() {
  const { limit, windowSeconds, operations, terms } = useSite()
  const link = useLink()
  return (
    <>
      <p>
        Yes, the check of a domain is free, without an account. You can make {limit} checks in{' '}
        {windowSeconds} seconds.
      </p>
      {terms && (
        <>
          <p>These reports cost money:</p>
          <ul>
            {operations.filter(isPaid).map((operation) => (
              <li>
                <a href={link(endpointDocsPath(operation))}>
                  {operation.tool?.title ?? operation.summary}
                </a>
                : {formatAmount(operation.price)} USD
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function RecordsAnswer() {
  const link = useLink()
  return (
    <>
      <p>All three are records in DNS, where every mail server reads them.</p>
      <ul>
        <li>
          <a href={link(mechanismPagePath('spf'))}>SPF</a> (Sender Policy Framework) lists the
          servers that may send as your domain.
        </li>
        <li>
          <a href={link(mechanismPagePath('dkim'))}>DKIM</a> (DomainKeys Identified Mail) is a
          signature on each message.
        </li>
        <li>
          <a href={link(mechanismPagePath('dmarc'))}>DMARC</a> says what receivers do when neither
          of them passes.
        </li>
      </ul>
      <p>
        <a href={link(PATHS.learn)}>How they work together</a>
      </p>
    </>
  )
}

function RejectAnswer() {
  const link = useLink()
  return (
    <p>
      It can, if a service that sends for you isn’t set up yet. So don’t start with it. Publish{' '}
      <code>p=none</code> with a report address, and read the reports for at least a month. When all
      your mail passes, go to <code>p=quarantine</code>. Read the reports for at least another
      month. Go to <code>p=reject</code> only when all your services pass with DKIM and none of your
      mail was lost. <a href={`${link(mechanismPagePath('dmarc'))}#steps`}>See all steps</a>
    </p>
  )
}

function SelectorAnswer() {
  const link = useLink()
  return (
    <p>
      It is the name of a DKIM key. A domain can have many keys, and DNS can’t list them, so we try
      the usual names. To find yours, open a message that you sent and view its source. Look for{' '}
      <code>DKIM-Signature</code>; the selector is the value of <code>s=</code>.{' '}
      <a href={link(findingPagePath('dkim.unknown-selector'))}>See all steps</a>
    </p>
  )
}

function ProveAnswer() {
  const link = useLink()
  return (
    <p>
      <a href={link('/')}>Check the domain again.</a> The finding must be gone. Then send a message
      to a Gmail address, open it there and choose “Show original”. SPF, DKIM and DMARC must say
      PASS. The page of a result has the domain in its URL, so you can send it to others. They see
      the result of that moment.
    </p>
  )
}

function LookupsAnswer() {
  const link = useLink()
  return (
    <p>
      The standard limits SPF to {LOOKUP_LIMIT} lookups, so one message can’t keep a mail server
      busy. With more, your record counts as broken.{' '}
      <a href={link(findingPagePath('spf.too-many-lookups'))}>How to get below the limit</a>
    </p>
  )
}

function DataAnswer() {
  const { terms } = useSite()
  const link = useLink()
  return (
    <>
      <p>
        Very little. There are no accounts and no cookies, and we don’t log who checks which domain.
        These are kept for a while:
      </p>
      <ul>
        <li>
          Your IP address (IP: Internet Protocol), in the server’s memory, to limit free checks. It
          counts for about a minute.
        </li>
        <li>
          A log of requests without domains, email addresses and IP addresses. The operator decides
          how long to keep it.
        </li>
        <li>The texts of your last results, in your browser tab until you close it.</li>
        {terms && (
          <li>
            A fingerprint of each payment, until 24 hours after it has expired. The report is kept
            with it in encrypted form, for ten minutes at most.
          </li>
        )}
      </ul>
      <p>
        <a href={link(PATHS.privacy)}>See the details</a>
      </p>
    </>
  )
}

function PayAnswer() {
  const { money } = useSite()
  const link = useLink()
  return (
    <p>
      In {money}, without an account. You need a wallet in your browser, or a program that can pay.
      Enter the domain, choose to buy, and confirm the payment in your wallet. You pay only when you
      get a report. <a href={link(guidePath('payments'))}>How payments work</a>
    </p>
  )
}

function UsdcAnswer() {
  return (
    <p>
      USDC is a digital dollar: one USDC is meant to be worth one US dollar. It is kept in a wallet
      and sent over a blockchain such as Base. x402 is an open way to pay for a single web request.
      The service names its price, your wallet signs a payment, and the answer comes back.
    </p>
  )
}

function NoReportAnswer() {
  const link = useLink()
  return (
    <p>
      Try again on the same page, in the same tab. It sends the same payment, which returns the
      report and never charges twice. If that fails, you get your money back:{' '}
      <a href={`${link(PATHS.terms)}#refunds`}>see refunds</a>.
    </p>
  )
}
