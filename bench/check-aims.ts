/** What the check benchmark measures against. */

export const DELAY_MS = 20

export const IN_FLIGHT = 50

export const AIMS = {
  checksPerSecond: 250,
  cpuMs: 4,
  timesSequence: 5,
  /** What is a short answer’s at no less than half of what the server can do. */
  timesBare: 0.5,
  /** Two processes do twice as much as one. */
  linear: 0.9,
}

/** Nobody can be faster: so often a check must wait for what it needs to know. */
export const limitMs = (depth: number) => depth * DELAY_MS

export const aimMs = (depth: number) => 1.25 * limitMs(depth) + 5
