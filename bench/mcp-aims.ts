/** How much the MCP benchmark does, and what it measures against. */
import { BENCH_DOMAIN } from './pay-aims.js'

/**
 * Times the same over HTTP. A challenge is hardly any work, so that the protocol is most of it; on a
 * chain the waiting is, and what remains is for the machine's moods.
 */
export const MCP_MAX_RATIOS = { check: 1.5, challenge: 2.5, sale: 1.5, chain: 1.25 }

/** Requests of a round: over a chain each takes many times as long, and only the wait counts. */
export const MCP_REQUEST_COUNTS = {
  check: { alone: 100, inFlight: 200, warmUp: 1_000 },
  challenge: { alone: 100, inFlight: 300, warmUp: 1_000 },
  sale: { alone: 50, inFlight: 100, warmUp: 400 },
  chain: { alone: 15, warmUp: 40 },
  talk: { inFlight: 100, warmUp: 300 },
}

/** What the payment benchmark sells, as a tool, and a free report on the same domain. */
export const CHECK_PATH = `/v1/check?domain=${BENCH_DOMAIN}`
export const CHECK_TOOL_CALL = {
  name: 'check_domain_email_security',
  arguments: { domain: BENCH_DOMAIN },
}
export const SCORE_TOOL_CALL = { name: 'email_security_score', arguments: { domain: BENCH_DOMAIN } }
