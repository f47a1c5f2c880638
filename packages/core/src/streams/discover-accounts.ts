/** Looks for accounts at services that show only in the names of websites and verifications. */
import type { Dns } from '@mailgrade/doh/dns'
import { findServiceByWebTarget, type MailService, TEXT_LABELS } from '../catalog/mail-services.js'
import { readTxtRecords } from '../checks/txt-records.js'
import { MAX_DOMAIN_LENGTH } from '../names/host-problem.js'
import { isSameText, type WildcardAnswers } from './wildcard-answers.js'

/** Where shops and help centers are; each costs a query. */
const WEBSITE_LABELS = ['www', 'support', 'help'] as const

/** An account that may send mail as the domain or not. */
export interface AccountShown {
  readonly service: MailService
  /** The record that shows it. */
  readonly evidence: string
}

/** A lookup that fails costs only a question to the owner. */
export async function discoverAccounts(
  dns: Dns,
  domain: string,
  wildcard: WildcardAnswers,
): Promise<AccountShown[]> {
  const isShort = (label: string) => `${label}.${domain}`.length <= MAX_DOMAIN_LENGTH
  const websites = WEBSITE_LABELS.filter(isShort).map(async (label): Promise<AccountShown[]> => {
    const name = `${label}.${domain}`
    const { cnames } = await dns.query(name, 'TXT')
    const target = cnames.find((each) => findServiceByWebTarget(each) !== null)
    const service = target === undefined ? null : findServiceByWebTarget(target)
    return service ? [{ service, evidence: `${name} CNAME ${target}` }] : []
  })
  const labels = TEXT_LABELS.filter(({ label }) => isShort(label))
  const verifications = labels.map(async ({ label, service }): Promise<AccountShown[]> => {
    const name = `${label}.${domain}`
    const answer = await dns.query(name, 'TXT')
    if (answer.kind !== 'records' || isSameText(answer, wildcard.txt)) return []
    return readTxtRecords(answer)
      .slice(0, 1)
      .map((text) => ({ service, evidence: `${name} TXT ${text}` }))
  })
  return (await Promise.all([...verifications, ...websites])).flat()
}
