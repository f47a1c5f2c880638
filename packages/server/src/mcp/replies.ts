/** What a tool answers, for a program to read and for a model: the same object as over HTTP. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Problem } from '../operations/perform.js'
import { problemDetails } from '../operations/problem-details.js'
import type { Challenge } from '../payments/gate.js'
import { type Carrier, sentenceFor } from '../payments/reasons.js'

export const PAYMENT = 'x402/payment'
export const RECEIPT = 'x402/payment-response'

export const CARRIER: Carrier = {
  sendIt: `call the tool again with it in params._meta["${PAYMENT}"]`,
  form: `Put the payload itself, as an object and not in base64, into params._meta["${PAYMENT}"].`,
}

interface Place {
  readonly baseUrl: string
  readonly requestId: string
}

/** A summary first, which a model may stop at; then everything. */
export function reply(digest: string, report: object, json = JSON.stringify(report)) {
  return { content: [text(digest), text(json)], structuredContent: report as Content }
}

export function problemReply(
  { code, ...words }: Pick<Problem, 'code' | 'detail'>,
  place: Place,
): CallToolResult {
  const details = problemDetails(code, words, place)
  return { ...reply(`${details.title}. ${details.detail}`, details), isError: true }
}

/**
 * x402 wants the challenge first in the text as well, to the letter; what to do comes after it.
 * `warning` is what a payment would not help against.
 */
export function challengeReply(
  { reason, required, receipt }: Challenge,
  price: string,
  money: string,
  warning: string | null,
): CallToolResult {
  const [offer] = required.accepts
  const sentences = [
    ...(warning === null ? [] : [warning]),
    `This tool costs ${price} USD in ${money} (an amount of ${offer?.amount}, with 6 decimals).`,
    sentenceFor(reason, CARRIER),
    'Whoever cannot pay by x402 tells the price to the user instead.',
  ]
  return {
    content: [text(JSON.stringify(required)), text(sentences.join(' '))],
    structuredContent: required as unknown as Content,
    isError: true,
    ...(receipt && { _meta: { [RECEIPT]: receipt } }),
  }
}

type Content = NonNullable<CallToolResult['structuredContent']>

function text(words: string) {
  return { type: 'text' as const, text: words }
}
