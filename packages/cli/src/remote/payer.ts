/**
 * Pays for a report: shows the price, asks, signs once, and sends that one payment until its outcome
 * is known. Payments of a command are made one after the other, so their sum stays within the limit.
 */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { CommandContext } from '../command-line/command.js'
import type { SourceResult } from '../command-line/report-source.js'
import {
  describeOffer,
  formatUsd,
  KEY_VARIABLE,
  openWallet,
  type PaymentOffer,
  readOffer,
  toUnits,
  type Wallet,
} from './payment.js'
import type {
  ServiceAddress,
  ServiceAnswer,
  ServiceClient,
  ServiceResponse,
} from './service-client.js'
import { type ServiceRequest, serviceProblem, toProblemResult } from './service-result.js'

export interface PayerOptions {
  /** Pay without asking. */
  readonly yes?: boolean | undefined
  /** For all payments of the command together. */
  readonly maxUsd?: number | undefined
}

interface PaidRequest extends ServiceRequest {
  readonly url: URL
  /** What is paid for, such as `score of example.com`. */
  readonly purpose: string
}

type PaymentResult =
  | { readonly kind: 'paid'; readonly response: ServiceResponse }
  | { readonly kind: 'unpaid'; readonly result: SourceResult<never> }

interface Payer {
  /** `response` is the one with status 402. */
  pay(request: PaidRequest, response: ServiceResponse): Promise<PaymentResult>
  close(): void
}

export function createPayer(
  service: ServiceAddress,
  client: ServiceClient,
  { yes = false, maxUsd }: PayerOptions,
  context: CommandContext,
): Payer {
  const { stderr, env, signal } = context
  const questions = createTerminalQuestions(context)
  const limit = maxUsd === undefined ? null : toUnits(maxUsd)
  /** Whatever a service says about a payment, it can charge one that is signed. */
  let signed = 0n
  let hasUnknownOutcome = false
  let previous: Promise<unknown> = Promise.resolve()

  async function payNext(request: PaidRequest, required: ServiceResponse): Promise<PaymentResult> {
    const read = readOffer(readPaymentRequired(required))
    if (read.kind === 'refused') return refuse('unusual_offer', `${read.reason} ${NOTHING_PAID}`)
    const { offer, resource } = read
    const price = `The ${request.purpose} costs ${describeOffer(offer)}.`
    const obstacle = findObstacle(offer)
    if (obstacle) return refuse('payment_required', `${price} ${obstacle} ${NOTHING_PAID}`)
    const opened = await openWallet(env[KEY_VARIABLE])
    if (opened.kind === 'refused') {
      return refuse('payment_required', `${price} ${opened.reason} ${NOTHING_PAID}`)
    }
    if (!(await isConfirmed(offer, request))) {
      return refuse('payment_declined', `You declined to pay. ${NOTHING_PAID}`)
    }
    const headers = await opened.wallet.sign(offer, resource).catch(() => null)
    if (!headers) return refuse('payment_failed', `We couldn’t sign the payment. ${NOTHING_PAID}`)
    signed += BigInt(offer.amount)
    return sendPayment(request, offer, headers)
  }

  function findObstacle({ amount }: PaymentOffer): string | null {
    if (hasUnknownOutcome) {
      return 'We don’t know whether an earlier payment went through, so we won’t make another one.'
    }
    if (!service.isPrivate) {
      return 'The connection isn’t encrypted, so someone on the network could redirect your payment. Use an https URL with --server.'
    }
    if (limit !== null && signed + BigInt(amount) > limit) {
      return `That’s more than --max-usd ${formatUsd(limit)} allows${signed > 0n ? `, because this command has already signed ${formatUsd(signed)}` : ''}.`
    }
    if (!yes && !questions.isPossible) {
      return `To pay, run the command in a terminal, or add --yes --max-usd ${formatUsd(BigInt(amount))}.`
    }
    return null
  }

  async function isConfirmed(offer: PaymentOffer, { purpose }: PaidRequest): Promise<boolean> {
    const payment = `${describeOffer(offer)} for the ${purpose}`
    if (yes) {
      stderr.write(`Paying ${payment}.\n`)
      return !signal.aborted
    }
    const answer = await questions.ask(`Pay ${payment}? [y/N] `)
    return answer !== null && /^y(es)?$/i.test(answer.trim())
  }

  async function sendPayment(
    request: PaidRequest,
    offer: PaymentOffer,
    headers: Awaited<ReturnType<Wallet['sign']>>,
  ): Promise<PaymentResult> {
    const answer = await sendUntilSettled(client, request.url, headers, context)
    const charged = chargedBy(answer)
    if (answer.kind === 'response' && answer.status === 200) {
      stderr.write(`${describeReceipt(answer, offer)}\n`)
      return { kind: 'paid', response: answer }
    }
    if (charged === 'unknown') {
      hasUnknownOutcome = true
      stderr.write(`${howToSendAgain(request.url, headers)}\n`)
    }
    const note = CHARGED_NOTES[charged]
    const result =
      answer.kind === 'response'
        ? toProblemResult(answer, request, note)
        : serviceProblem(answer.code, `${answer.detail} ${note}`)
    return { kind: 'unpaid', result }
  }

  return {
    pay(request, response) {
      const payment = previous.then(() => payNext(request, response))
      previous = payment.catch(() => {})
      return payment
    },
    close: () => questions.close(),
  }
}

const NOTHING_PAID = 'You weren’t charged.'

const CHARGED_NOTES = {
  no: NOTHING_PAID,
  yes: '',
  unknown:
    'You may have been charged. Don’t sign another payment for this report. Send the same payment again, and you’ll pay at most once.',
}

const TRIES = 5
/** Settling a payment on the chain may take half a minute. */
const PAID_REQUEST_TIMEOUT_MS = 60_000
const LONGEST_WAIT_SECONDS = 30

/** While the outcome is unknown, the same payment is safe to repeat, and a new one is not. */
async function sendUntilSettled(
  client: ServiceClient,
  url: URL,
  headers: Readonly<Record<string, string>>,
  { signal, stderr }: CommandContext,
): Promise<ServiceAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await client.send(url, headers, PAID_REQUEST_TIMEOUT_MS)
    if (isSettled(answer) || attempt === TRIES || signal.aborted) return answer
    const seconds = secondsToWait(answer)
    if (seconds > LONGEST_WAIT_SECONDS) return answer
    stderr.write('The payment hasn’t settled yet. Sending the same payment again.\n')
    await setTimeout(seconds * 1_000, undefined, { signal }).catch(() => {})
  }
}

/** A report that failed because of DNS is never charged, and repeating it soon rarely helps. */
function isSettled(answer: ServiceAnswer): boolean {
  if (answer.kind === 'no-response') return false
  const { status, body } = answer
  return ![409, 429, 500, 502, 503, 504].includes(status) || `${body.code}`.startsWith('dns_')
}

function secondsToWait(answer: ServiceAnswer): number {
  const text = answer.kind === 'response' ? answer.headers.get('retry-after') : null
  return text !== null && /^\d+$/.test(text) ? Number(text) : 1
}

/** Only a report is charged. Without one, these statuses mean that nothing was. */
const NEVER_CHARGED: readonly number[] = [400, 402, 404]

function chargedBy(answer: ServiceAnswer): keyof typeof CHARGED_NOTES {
  if (answer.kind === 'no-response') return 'unknown'
  const { status, body } = answer
  if (status === 200) return 'yes'
  return NEVER_CHARGED.includes(status) || body.charged === 'no' ? 'no' : 'unknown'
}

/** x402 has it in a header; our service has it in the body too. */
function readPaymentRequired({ headers, body }: ServiceResponse): unknown {
  return decodeHeader(headers.get('payment-required')) ?? body
}

function describeReceipt({ headers }: ServiceResponse, offer: PaymentOffer): string {
  const { success, transaction } = Object(decodeHeader(headers.get('payment-response')))
  const isComplete = success === true && /^0x[0-9a-f]{64}$/i.test(transaction)
  return isComplete
    ? `Paid ${describeOffer(offer)}. Transaction: ${transaction}`
    : 'The service sent the report without a receipt. You may have been charged.'
}

function howToSendAgain(url: URL, headers: Readonly<Record<string, string>>): string {
  const options = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`)
  return `To send the same payment again:\n  curl ${options.join(' ')} '${url}'`
}

function decodeHeader(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString())
  } catch {
    return null
  }
}

function refuse(code: string, detail: string): PaymentResult {
  return { kind: 'unpaid', result: serviceProblem(code, detail) }
}

/** Asks the person at the terminal. */
function createTerminalQuestions({ stdin, stderr, signal }: CommandContext) {
  let chunks: AsyncIterator<Uint8Array> | null = null
  let typed = ''

  async function readLine(): Promise<string | null> {
    chunks ??= stdin[Symbol.asyncIterator]()
    for (;;) {
      const end = typed.indexOf('\n')
      if (end >= 0) {
        const line = typed.slice(0, end)
        typed = typed.slice(end + 1)
        return line
      }
      const chunk = await chunks.next()
      if (chunk.done) return null
      typed += Buffer.from(chunk.value).toString()
    }
  }

  return {
    /** False if no person can see the question or answer it. */
    isPossible: stdin.isTTY === true && stderr.isTTY === true,
    /** Null if there is no answer, because the input ended or the user pressed Ctrl-C. */
    async ask(question: string) {
      if (signal.aborted) return null
      stderr.write(question)
      const ended = new AbortController()
      const interrupted = once(signal, 'abort', { signal: ended.signal })
      const line = await Promise.race([readLine(), interrupted.then(() => null)]).catch(() => null)
      ended.abort()
      if (line === null) stderr.write('\n')
      return line
    },
    /** Stops reading the input, so the process can exit. */
    close() {
      if (chunks) stdin.destroy?.()
    },
  }
}
