/** Who signs for a domain, and which keys are theirs. */
import type { MailService } from '../../../catalog/mail-services.js'
import type { DkimSetup } from '../../../catalog/service-setup.js'
import type { DkimKey } from '../../../checks/dkim/dkim-facts.js'
import type { ServicesInUse } from '../services-in-use.js'

export interface Signer extends Pick<MailService, 'id' | 'name'> {
  readonly dkim: DkimSetup
  /** Those that it is known to use. */
  readonly selectors: ReadonlySet<string>
  /** It may only receive. */
  readonly isGateway: boolean
}

/** For a service of which no more is known. */
export const NEW_KEY_TEMPLATE = 'v=DKIM1; k=rsa; p={public-key}'
export const OWN_SERVER_INSTRUCTIONS =
  'Make a key pair of 2048 bits on your mail server and give it the private key; the public key, in one line, goes here.'

export function findSigners({ mailboxProviders, senders }: ServicesInUse): Signer[] {
  const gateways = new Set(
    mailboxProviders.filter(({ entry }) => entry.kind === 'gateway').map(({ entry }) => entry.id),
  )
  return [...mailboxProviders, ...senders].flatMap(({ entry: { id, name, selectors, setup } }) =>
    setup.dkim
      ? [{ id, name, dkim: setup.dkim, selectors: new Set(selectors), isGateway: gateways.has(id) }]
      : [],
  )
}

export function findSignerOfKey(key: DkimKey, signers: readonly Signer[]): Signer | undefined {
  return signers.find((signer) => belongsToSigner(key, signer))
}

/** By where its CNAME leads, or by its selector where nobody else is known to have it. */
export function belongsToSigner(
  { provider, selector }: DkimKey,
  { id, selectors }: Signer,
): boolean {
  return provider ? provider.id === id : selectors.has(selector)
}
