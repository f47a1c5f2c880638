/** The verdict on an address in words. */
import { PROVIDER_KIND_LABELS } from '../../checks/mx/mx-words.js'
import type { EmailReport } from './email-report.js'

/** DNS shows where mail goes, not who receives it. */
const UNKNOWN_MAILBOX = 'Only its mail server knows whether the mailbox exists.'

export const ADDRESS_VERDICT_WORDS = {
  ok: {
    status: 'pass',
    words: `The domain accepts mail, and we found no concerns. ${UNKNOWN_MAILBOX}`,
  },
  risky: {
    status: 'warn',
    words: `The domain accepts mail, but this address is risky. ${UNKNOWN_MAILBOX}`,
  },
  undeliverable: { status: 'fail', words: 'Mail can’t arrive.' },
} as const

type Fact = readonly [label: string, value: string]

/** What the verdict is based on, as far as it says something. */
export function addressFacts({ checks, freeProvider, privacyRelay }: EmailReport): Fact[] {
  const { mx, parking, placeholder, role, disposable } = checks
  const facts: (Fact | null)[] = [
    mx.provider && [PROVIDER_KIND_LABELS[mx.provider.kind], mx.provider.name],
    mx.mayAcceptAll
      ? ['Accepts every address', 'possibly (gateways often do, and bounce later)']
      : null,
    parking.matched === null ? null : ['Parked at', parking.matched],
    placeholder.name === null ? null : ['Placeholder name', placeholder.name],
    role.name === null ? null : ['Role address', role.name],
    disposable.matched === null ? null : ['Disposable email service', disposable.matched],
    freeProvider ? ['Free provider', 'yes (not a problem)'] : null,
    privacyRelay ? ['Privacy relay', 'yes (not a problem)'] : null,
    ['Mailbox', 'not verified (we don’t contact mail servers)'],
  ]
  return facts.filter((fact) => fact !== null)
}
