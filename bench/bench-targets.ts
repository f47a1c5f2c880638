/** What the check benchmark measures against. */

export const RESOLVER_DELAY_MS = 20

export const CHECKS_IN_FLIGHT = 50

export const CHECK_TARGETS = {
  checksPerSecond: 250,
  cpuMs: 4,
  speedupOverSequential: 5,
  /** What is a short answer’s at no less than half of what the server can do. */
  shareOfBareHono: 0.5,
  /** Two processes do twice as much as one. */
  twoProcessEfficiency: 0.9,
}

/** Nobody can be faster: so often a check must wait for what it needs to know. */
export const latencyFloorMs = (depth: number) => depth * RESOLVER_DELAY_MS

export const latencyTargetMs = (depth: number) => 1.25 * latencyFloorMs(depth) + 5
