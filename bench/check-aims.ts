/** What the check benchmark measures against. */

export const DELAY_MS = 20

export const IN_FLIGHT = 50

export const AIMS = { cpuMs: 3, timesSequence: 5 }

/** Nobody can be faster: so often a check must wait for what it needs to know. */
export const limitMs = (depth: number) => depth * DELAY_MS

export const aimMs = (depth: number) => 1.25 * limitMs(depth) + 5
