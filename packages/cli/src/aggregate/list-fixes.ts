/** What to fix first: your services that fail, with the steps to set them up. */
import { describeSetup, findServiceById, type MailService } from '@mailgrade/core'
import type { PublishedPolicy } from './report-metadata.js'
import type { SourceTotals } from './source-totals.js'

export interface Fix {
  readonly name: string
  readonly serviceId: string | null
  /** Messages of the period that fail DMARC. */
  readonly lost: number
  /** Why they fail, one sentence. */
  readonly reason: string
  /** What to do, in order; one action each. */
  readonly steps: readonly string[]
}

const MAX_FIXES = 20

export function listFixes(sources: readonly SourceTotals[], policy: PublishedPolicy): Fix[] {
  return sources
    .filter(({ messages, passing }) => passing < messages)
    .sort((one, other) => lostBy(other) - lostBy(one))
    .slice(0, MAX_FIXES)
    .map((source) => fixOf(source, policy))
}

function lostBy({ messages, passing }: SourceTotals): number {
  return messages - passing
}

function fixOf(source: SourceTotals, policy: PublishedPolicy): Fix {
  const { name, serviceId } = source.identity
  const service = serviceId === null ? null : findServiceById(serviceId)
  const base = { name, serviceId, lost: lostBy(source) }
  if (service) return { ...base, reason: reasonOf(source), steps: serviceSteps(service, policy) }
  return { ...base, ...ownFix(source, policy) }
}

function reasonOf({ spfRaw, dkimRaw }: SourceTotals): string {
  const passed = [spfRaw > 0 ? 'SPF' : '', dkimRaw > 0 ? 'DKIM' : ''].filter((word) => word !== '')
  return `It passes ${passed.join(' and ')} for the service’s own domain, not for yours, so DMARC fails.`
}

function serviceSteps({ name, setup, returnPathAtRoot }: MailService, policy: PublishedPolicy) {
  const check = `Send a message from ${name} to yourself. It must show DKIM: PASS for ${policy.domain}.`
  const dkim = setup.dkim
    ? `Set up DKIM for ${policy.domain}. ${describeSetup(name, setup.dkim)}`
    : `Ask ${name} how to sign with DKIM for ${policy.domain}.`
  const terms = setup.spf[0]?.terms ?? []
  const spf =
    returnPathAtRoot !== 'never' && terms.length > 0
      ? [`Make sure that the SPF record of ${policy.domain} contains ${terms.join(' ')}.`]
      : []
  return [dkim, ...spf, check]
}

function ownFix(
  { identity }: SourceTotals,
  { domain, adkim, aspf }: PublishedPolicy,
): Pick<Fix, 'reason' | 'steps'> {
  const strict = [adkim === 's' ? 'adkim=s' : '', aspf === 's' ? 'aspf=s' : ''].filter(
    (tag) => tag !== '',
  )
  if (identity.kind === 'own' && strict.length > 0) {
    return {
      reason: `It passes for another name at ${domain}, but ${strict.join(' and ')} ${strict.length === 1 ? 'requires' : 'require'} an exact match.`,
      steps: [
        `Remove ${strict.join(' and ')} from the DMARC record of ${domain}, or sign with exactly the domain in From.`,
      ],
    }
  }
  return {
    reason:
      'Some of its messages pass neither SPF nor DKIM for a domain that is aligned with From.',
    steps: [
      `Find the systems that send as ${domain} without an aligned signature, and set them up to sign with DKIM for ${domain}.`,
    ],
  }
}
