/** Whether mail ends up with a disposable address service. */
import { isDisposableDomain } from '../../catalog/disposable-domains.js'
import { isPrivacyRelay } from '../../catalog/privacy-relays.js'
import { namesUpToRegistrable } from './own-names.js'

/**
 * The entry of the lists that covers the domain or one of its mail servers: such services put new
 * domains in front of the same servers faster than any list can follow.
 */
export function findDisposableDomain(
  domain: string,
  mailServers: readonly string[],
): string | null {
  if (isPrivacyRelay(domain)) return null
  const servers = mailServers.filter((server) => !isPrivacyRelay(server))
  return [domain, ...servers].flatMap(namesUpToRegistrable).find(isDisposableDomain) ?? null
}
