/** Whether mail from one server passes SPF, in words. */
import type { SpfEvaluation } from './spf-report.js'

interface ResultWords {
  readonly tone: 'pass' | 'warn' | 'fail' | 'info'
  readonly word: string
  readonly meaning: string
}

export const SPF_RESULT_WORDS: Readonly<Record<SpfEvaluation['result'], ResultWords>> = {
  pass: { tone: 'pass', word: 'Pass', meaning: 'This server is allowed to send for the domain.' },
  fail: {
    tone: 'fail',
    word: 'Fail',
    meaning: 'This server is not allowed to send for the domain.',
  },
  softfail: {
    tone: 'warn',
    word: 'Soft fail',
    meaning: 'This server is probably not allowed to send for the domain.',
  },
  neutral: { tone: 'warn', word: 'Neutral', meaning: 'SPF says nothing about this server.' },
  none: { tone: 'warn', word: 'None', meaning: 'The domain has no SPF record.' },
  temperror: {
    tone: 'info',
    word: 'Temporary error',
    meaning:
      'We couldn’t reach DNS for part of the record. Receivers may defer the mail; the sending server then tries again.',
  },
  permerror: {
    tone: 'fail',
    word: 'Permanent error',
    meaning: 'The record is broken for this server, so its mail does not pass.',
  },
}

/** Why no term decided the result. */
export function describeSpfEnd({ result, lookups, voidLookups }: SpfEvaluation): string {
  if (result === 'permerror' && lookups > 10)
    return 'Receivers stop at the 11th DNS lookup; 10 are allowed.'
  if (result === 'permerror' && voidLookups > 2) {
    return 'Receivers stop at the third empty (void) lookup; 2 are allowed.'
  }
  return result === 'neutral' ? 'No term matches this server.' : 'No term decides the result.'
}

export function describeSpfLookups({ lookups, voidLookups }: SpfEvaluation): string {
  return `${count(lookups, 10, 'DNS lookups')}, ${count(voidLookups, 2, 'empty (void) lookups')}`
}

function count(used: number, limit: number, what: string): string {
  return used > limit ? `more than ${limit} ${what}` : `${used} of ${limit} ${what}`
}
