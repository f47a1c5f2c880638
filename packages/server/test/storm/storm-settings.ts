/** Size and seed. The seed decides who buys what and what is killed in which order. */
import { randomInt } from 'node:crypto'

const { STORM_PAYMENTS = '100', STORM_SEED } = process.env

/** In each variant. */
export const PAYMENTS = Number(STORM_PAYMENTS)
export const SEED = STORM_SEED === undefined ? randomInt(2 ** 31) : Number(STORM_SEED)
export const WALLETS = 50
/** Payments in progress at any time. */
export const CLIENTS = 24
/** Clients wait this share of what Retry-After says, to keep the test short. */
export const WAIT_SHARE = 0.1
