/** A stream: one source of mail that uses the domain, or a name below it, in From. */
import { z } from 'zod'
import type { MailService } from '../catalog/mail-services.js'
import type { AddressSet } from '../checks/address-set.js'
import type { IpFamily } from '../checks/ip-address.js'
import type { SenderInUse } from './find-senders.js'

const KINDS = ['mailbox', 'service', 'own-server', 'web-host', 'subdomain'] as const
const CERTAINTIES = ['certain', 'likely', 'possible'] as const
const SPF_STATES = ['aligned', 'not-aligned', 'fails', 'unknown'] as const
const DKIM_STATES = ['aligned', 'not-aligned', 'none', 'unknown'] as const
const OUTCOMES = ['pass', 'lost', 'quarantined', 'at-risk', 'unknown'] as const

export const streamSchema = z
  .object({
    id: z.string().describe('Stable id: that of the service, `own-server`, `web-host`, or a name'),
    name: z.string().describe('Who sends'),
    kind: z.enum(KINDS).describe('What sends'),
    at: z.string().describe('The name in the From address'),
    certainty: z
      .enum(CERTAINTIES)
      .describe('`possible`: nothing but an old record may show it, or only its owner knows'),
    spf: z
      .enum(SPF_STATES)
      .describe(
        '`not-aligned`: it uses a domain of its own in the Return-Path, so SPF doesn’t count',
      ),
    dkim: z
      .enum(DKIM_STATES)
      .describe('`none`: DNS proves that there’s no key that receivers accept'),
    outcome: z
      .enum(OUTCOMES)
      .describe(
        '`lost`, `quarantined`: it fails under today’s policy. `at-risk`: it would fail if the policy were enforced',
      ),
    evidence: z.array(z.string()).describe('The records that show it'),
  })
  .meta({ id: 'Stream', description: 'A source of mail, and what happens to that mail today' })

/** As reports show it. */
export type StreamReport = z.infer<typeof streamSchema>

export type Outcome = StreamReport['outcome']

/** Who sends, before it is known what happens to the mail. */
export interface Stream extends Omit<StreamReport, 'spf' | 'dkim' | 'outcome'> {
  /** Null for a server, or a service that is not in the catalog. */
  readonly sender: SenderInUse | null
  readonly service: MailService | null
  /** What SPF of the name authorizes for it; null if only its include shows that. */
  readonly addresses: Readonly<Record<IpFamily, AddressSet>> | null
}

export const OWN_SERVER = 'own-server'

export function streamIdOf({ entry, setUpAt }: Pick<SenderInUse, 'entry' | 'setUpAt'>): string {
  return setUpAt === null ? entry.id : `${entry.id}@${setUpAt}`
}

/** Counts in verdicts. What is only possible is asked about. */
export function isCounted({ certainty }: Pick<StreamReport, 'certainty'>): boolean {
  return certainty !== 'possible'
}

/** It fails under the policy of today. */
export function isLost({ outcome }: Pick<StreamReport, 'outcome'>): boolean {
  return outcome === 'lost' || outcome === 'quarantined'
}

/** Mailboxes for which no key signs, whoever else has one: their mail fails once it is forwarded. */
export function isUnsignedMailbox(
  stream: Pick<StreamReport, 'kind' | 'certainty' | 'dkim'>,
): boolean {
  return stream.kind === 'mailbox' && isCounted(stream) && stream.dkim === 'none'
}
