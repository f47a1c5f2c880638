/** How long to fuzz, and from which seed: `FUZZ_SEED=… FUZZ_SECONDS=…` sends the same again. */
import { randomInt } from 'node:crypto'

const { FUZZ_SECONDS = '70', FUZZ_SEED } = process.env

export const FUZZ_DURATION_SECONDS = Number(FUZZ_SECONDS)
export const RANDOM_SEED = FUZZ_SEED === undefined ? randomInt(2 ** 31) : Number(FUZZ_SEED)
/** Far more than any lookup may take here. */
export const RESPONSE_DEADLINE_MS = 10_000
export const FUZZ_DNS_TIMEOUT_MS = 2_000
