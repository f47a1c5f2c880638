/** Duration and seed. The same FUZZ_SEED and FUZZ_SECONDS send the same requests again. */
import { randomInt } from 'node:crypto'

const { FUZZ_SECONDS = '70', FUZZ_SEED } = process.env

export const FUZZ_DURATION_SECONDS = Number(FUZZ_SECONDS)
export const RANDOM_SEED = FUZZ_SEED === undefined ? randomInt(2 ** 31) : Number(FUZZ_SEED)
/** Much longer than FUZZ_DNS_TIMEOUT_MS and the 8 s in which the chain may show a payment. */
export const RESPONSE_DEADLINE_MS = 20_000
export const FUZZ_DNS_TIMEOUT_MS = 2_000
