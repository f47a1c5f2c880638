/** Size and seed. The same FUZZ_SEED and FUZZ_REQUESTS send the same requests again. */
import { randomInt } from 'node:crypto'

const { FUZZ_REQUESTS = '2000', FUZZ_SEED } = process.env

/** To each service. */
export const REQUEST_COUNT = Number(FUZZ_REQUESTS)
export const RANDOM_SEED = FUZZ_SEED === undefined ? randomInt(2 ** 31) : Number(FUZZ_SEED)
/** A response that takes longer never comes, however busy this machine is. */
export const RESPONSE_DEADLINE_MS = 300_000
export const FUZZ_DNS_TIMEOUT_MS = 2_000
