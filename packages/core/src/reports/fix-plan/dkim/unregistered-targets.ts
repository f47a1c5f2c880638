/** CNAMEs into a domain that does not exist: whoever registers it can sign as the domain. */
import type { Dns } from '@mailgrade/doh/dns'
import { isNonexistent } from '../../../checks/check-result.js'
import type { DanglingCname, DkimFacts } from '../../../checks/dkim/dkim-facts.js'
import { registrableDomain } from '../../../names/registrable-domain.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import { say } from '../say.js'

export async function findUnregistered(
  dns: Dns,
  { domain, danglingCnames }: DkimFacts,
): Promise<DanglingCname[]> {
  const targetOf = ({ cnames }: DanglingCname) => registrableDomain(cnames.at(-1) ?? domain)
  // The domains of known services exist.
  const unknown = danglingCnames.filter(({ provider }) => provider === null)
  const targets = new Set(unknown.map(targetOf))
  targets.delete(registrableDomain(domain))
  const gone = new Set<string>()
  await Promise.all(
    [...targets].map(async (target) => {
      if (await isUnregistered(dns, target)) gone.add(target)
    }),
  )
  return unknown.filter((alias) => gone.has(targetOf(alias)))
}

/** Below a top-level domain that doesn't exist, no one can register a name. */
async function isUnregistered(dns: Dns, name: string): Promise<boolean> {
  const suffix = name.slice(name.indexOf('.') + 1)
  if (suffix === name || !isNonexistent(await dns.query(name, 'NS'))) return false
  const { kind } = await dns.query(suffix, 'NS')
  return kind === 'records' || kind === 'nodata'
}

export function deleteAlias({ name, cnames: [target = ''] }: DanglingCname): PlannedRecord {
  const why = [say('dkim.unregistered', { target: [registrableDomain(target)] })]
  return { ...createPlannedRecord('dkim', name, target), type: 'CNAME', action: 'delete', why }
}
