/** Every sender that we know. */
import { APPLICATION_SENDERS } from './application-senders.js'
import { CAMPAIGN_SENDERS } from './campaign-senders.js'
import { RELAY_SENDERS } from './relay-senders.js'
import type { Sender } from './sender.js'

export const SENDERS: readonly Sender[] = [
  ...RELAY_SENDERS,
  ...CAMPAIGN_SENDERS,
  ...APPLICATION_SENDERS,
]
