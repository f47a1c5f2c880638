/** Who signs for a domain, and which keys are theirs. */
import type { Service } from '../../../catalog/services.js'
import type { DkimSetup } from '../../../catalog/setup.js'
import type { FoundKey } from '../../../checks/dkim/dkim-facts.js'
import type { Parties } from '../parties.js'

export interface Signer extends Pick<Service, 'id' | 'name'> {
  readonly dkim: DkimSetup
  /** Those that it is known to use. */
  readonly selectors: ReadonlySet<string>
  /** It may only receive. */
  readonly isGateway: boolean
}

/** For a service of which no more is known. */
export const NEW_KEY = 'v=DKIM1; k=rsa; p={public-key}'
export const OWN_SERVER =
  'Make a key pair of 2048 bits on your mail server and give it the private key; the public key, in one line, goes here.'

export function signersOf({ mailboxes, senders }: Parties): Signer[] {
  const gateways = new Set(
    mailboxes.filter(({ row }) => row.kind === 'gateway').map(({ row }) => row.id),
  )
  return [...mailboxes, ...senders].flatMap(({ row: { id, name, selectors, setup } }) =>
    setup.dkim
      ? [{ id, name, dkim: setup.dkim, selectors: new Set(selectors), isGateway: gateways.has(id) }]
      : [],
  )
}

export function signerOf(key: FoundKey, signers: readonly Signer[]): Signer | undefined {
  return signers.find((signer) => isOf(key, signer))
}

/** By where its CNAME leads, or by its selector where nobody else is known to have it. */
export function isOf({ provider, selector }: FoundKey, { id, selectors }: Signer): boolean {
  return provider ? provider.id === id : selectors.has(selector)
}
