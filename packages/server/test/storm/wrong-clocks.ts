/** The wall clocks of the instances, which jump while they run and while they are down. */
import { renameSync, writeFileSync } from 'node:fs'
import { waitUntil } from '@mailgrade/testing/wait-until'
import type { SeededRandom } from './seeded-random.js'

export interface WrongClock {
  /** Makes a process follow this clock. */
  wind(env: Record<string, string>): Record<string, string>
  isWrong(): boolean
  jump(): void
  putRight(): void
}

const MINUTE = 60_000
/** With some of them, every payment is refused. 26 hours are longer than the ledger keeps one. */
const JUMPS: Readonly<Record<string, number>> = {
  '26 h ahead': 26 * 60 * MINUTE,
  '5 min ahead': 5 * MINUTE,
  '1 min ahead': MINUTE,
  '30 min behind': -30 * MINUTE,
  '26 h behind': -26 * 60 * MINUTE,
}
const PRELOADED = new URL('./shift-clock.mjs', import.meta.url).href

/** Each jump once, in random order, again and again. `counts` is by the name of the jump. */
export function createWrongClock(
  file: string,
  random: SeededRandom,
  counts: Record<string, number>,
): WrongClock {
  let order: string[] = []
  let isWrong = false

  function set(shiftMs: number): void {
    isWrong = shiftMs !== 0
    // Renamed, because it may be read at any moment.
    writeFileSync(`${file}.new`, String(shiftMs))
    renameSync(`${file}.new`, file)
  }

  set(0)
  return {
    wind: (env) => ({
      ...env,
      NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --import ${PRELOADED}`,
      CLOCK_SHIFT_FILE: file,
    }),
    isWrong: () => isWrong,
    jump() {
      if (order.length === 0) order = random.shuffle(Object.keys(JUMPS))
      const name = order.pop() ?? ''
      counts[name] = (counts[name] ?? 0) + 1
      set(JUMPS[name] ?? 0)
    },
    putRight: () => set(0),
  }
}

/** In answers, because nothing may be sold while a clock is wrong. */
const RIGHT_FOR = 60
const WRONG_FOR = 20
const HALF_AN_HOUR = 30 * MINUTE

/** Clocks of running instances jump, and are put right. */
export function startClockJumps(
  clocks: readonly WrongClock[],
  random: SeededRandom,
  answered: () => number,
): { stop(): Promise<void> } {
  let isStopped = false

  async function run(): Promise<void> {
    for (;;) {
      const mean = clocks.some((clock) => clock.isWrong()) ? WRONG_FOR : RIGHT_FOR
      const due = answered() + Math.round(mean * (0.5 + random.integerBelow(100) / 100))
      await waitUntil('the next jump is due', () => isStopped || answered() >= due, HALF_AN_HOUR)
      if (isStopped) return
      const clock = clocks.find((one) => one.isWrong())
      if (clock) clock.putRight()
      else random.pick(clocks).jump()
    }
  }

  const running = run()
  return {
    async stop() {
      isStopped = true
      await running
      for (const clock of clocks) clock.putRight()
    },
  }
}
