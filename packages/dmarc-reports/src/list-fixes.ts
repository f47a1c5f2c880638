/** What to fix first: your services that fail, with the steps to set them up. */
import { describeSetup, findServiceById, type MailService } from '@mailgrade/core'
import type { PublishedPolicy } from './aggregate-report.js'
import { GMAIL, type SourceIdentity } from './classify-record.js'
import type { SourceTotals } from './source-totals.js'
import { sortedCounts, sumOfDays } from './source-totals.js'

export interface Fix {
  readonly name: string
  readonly serviceId: string | null
  /** Messages of the last 31 days of the source that fail DMARC. */
  readonly lost: number
  /** Why they fail, one sentence. */
  readonly reason: string
  /** What to do, in order; one action each. */
  readonly steps: readonly string[]
}

const MAX_FIXES = 20

export function listFixes(sources: readonly SourceTotals[], policy: PublishedPolicy): Fix[] {
  return sources
    .map((source) => ({ source, lost: lostBy(source) }))
    .filter(({ lost }) => lost > 0)
    .sort((one, other) => other.lost - one.lost)
    .slice(0, MAX_FIXES)
    .map(({ source, lost }) => fixOf(source, lost, policy))
}

function lostBy({ recent }: SourceTotals): number {
  const { messages, passing } = sumOfDays(recent)
  return messages - passing
}

function fixOf(source: SourceTotals, lost: number, policy: PublishedPolicy): Fix {
  const { name, serviceId } = source.identity
  const service = serviceId === null ? null : findServiceById(serviceId)
  const from = sortedCounts(source.failingFrom)[0]?.name ?? policy.domain
  const base = { name, serviceId, lost }
  if (service)
    return { ...base, reason: reasonOf(source), steps: serviceSteps(service, source, from) }
  if (name === GMAIL) return { ...base, ...gmailFix(from) }
  return { ...base, ...ownFix(source, from, policy) }
}

function reasonOf({ spfRaw, dkimRaw }: SourceTotals): string {
  const passed = [spfRaw > 0 ? 'SPF' : '', dkimRaw > 0 ? 'DKIM' : ''].filter((word) => word !== '')
  return `It passes ${passed.join(' and ')} for the service’s own domain but not for yours, so DMARC fails.`
}

function serviceSteps(
  { id, name, setup, returnPathAtRoot }: MailService,
  { identity, answer, failingMailFrom, failedSignatures }: SourceTotals,
  from: string,
): string[] {
  const [signature] = sortedCounts(failedSignatures)
  const key = signature ? [checkKey(signature.name, name)] : []
  const isYours =
    identity.isSetUp || answer === 'mine'
      ? []
      : [
          `If you don’t use ${name} to send as ${from}, this mail is forged. Add --not-mine ${id}, and skip the other steps.`,
        ]
  const dkim = setup.dkim
    ? `Set up DKIM for ${from}. ${describeSetup(name, setup.dkim)}`
    : `Ask ${name} how to sign with DKIM for ${from}.`
  const terms = setup.spf[0]?.terms ?? []
  // Receivers look at the record of MAIL FROM only.
  const mailFrom = sortedCounts(failingMailFrom)[0]?.name
  const isNeeded = returnPathAtRoot !== 'never' && terms.length > 0
  const spf =
    mailFrom !== undefined && isNeeded
      ? [
          `Make sure that the SPF record for ${mailFrom} contains ${terms.join(' ')}. To stay within 10 lookups, run mailgrade plan ${argument(mailFrom, 'domain')} --uses ${id} and publish the record it writes. Over 10, SPF fails for all your mail.`,
        ]
      : []
  const check = `Send yourself a message from ${name}. It should show DKIM: PASS for ${from}.`
  return [...key, ...isYours, dkim, ...spf, check]
}

/** The signature is `domain selector`. */
function checkKey(signature: string, service: string): string {
  const [domain = '', selector = ''] = signature.split(' ')
  const command = `mailgrade dkim ${argument(domain, 'domain')} --selector ${argument(selector, 'selector')}`
  return `Its signature for ${domain} with the selector ${selector} fails. Run ${command}, and make sure that the key is the one that ${service} shows you.`
}

/** People copy commands, and anyone can write a report, so only plain names may be in one. */
function argument(text: string, placeholder: string): string {
  return /^[a-z0-9_][a-z0-9._-]*$/i.test(text) ? text : `<${placeholder}>`
}

function gmailFix(from: string): Pick<Fix, 'reason' | 'steps'> {
  return {
    reason: `People send as ${from} from personal Gmail accounts ("Send mail as"). Gmail signs this mail as gmail.com, so DMARC fails.`,
    steps: [
      `In those accounts, go to Settings > See all settings > Accounts and Import > Send mail as, and edit ${from} so that it sends through your mailbox provider’s SMTP server.`,
      `Send yourself a message from there. It should show DKIM: PASS for ${from}.`,
    ],
  }
}

function claimedFix({ kind, name }: SourceIdentity, from: string): Pick<Fix, 'reason' | 'steps'> {
  const isService = kind === 'domain'
  const reason = isService
    ? `It passes for its own domain, but not for ${from}.`
    : 'It passes neither SPF nor DKIM.'
  return {
    reason: `You said that ${name} is yours. ${reason}`,
    steps: [
      isService
        ? `Ask ${name} how to sign with DKIM for ${from}, and publish the key it gives you.`
        : `Find the server in ${name} that sends as ${from}, and have it sign with DKIM for ${from}.`,
      `Send yourself a message from there. It should show DKIM: PASS for ${from}.`,
    ],
  }
}

function ownFix(
  { identity, answer }: SourceTotals,
  from: string,
  { domain, adkim, aspf }: PublishedPolicy,
): Pick<Fix, 'reason' | 'steps'> {
  if (answer === 'mine') return claimedFix(identity, from)
  const strict = [adkim === 's' ? 'adkim=s' : '', aspf === 's' ? 'aspf=s' : ''].filter(
    (tag) => tag !== '',
  )
  if (identity.kind === 'own' && strict.length > 0) {
    return {
      reason: `It passes for a different name under ${domain}, but ${strict.join(' and ')} ${strict.length === 1 ? 'requires' : 'require'} an exact match.`,
      steps: [
        `Remove ${strict.join(' and ')} from the DMARC record for ${domain}, or sign with exactly the domain in From.`,
      ],
    }
  }
  return {
    reason:
      identity.kind === 'domain'
        ? `It passes for ${identity.name}, another of your domains, but not for ${from}.`
        : 'Some of its messages pass neither SPF nor DKIM for a domain that matches the one in From.',
    steps: [
      `Find the systems that send as ${from} without a matching DKIM signature, and set them up to sign for ${from}.`,
    ],
  }
}
