/** Kills what the service needs, and the service, one after another in random order. */
import { setTimeout as delay } from 'node:timers/promises'
import { waitUntil } from '@mailgrade/testing/wait-until'
import type { SeededRandom } from './seeded-random.js'
import type { Killable, StormSite } from './storm-site.js'

export interface RandomKills {
  /** By kind. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether each kind was killed at least once. */
  hasKilledAll(): boolean
  /** Rejects if something could not be killed or restarted as expected. */
  readonly failure: Promise<never>
  /** Resolves when everything is up again. */
  stop(): Promise<void>
}

/** Reports between two kills, on average; more in a long run, which restarts would dominate. */
const meanGap = (payments: number) => Math.min(Math.max(payments / 40, 5), 60)
const MAX_DOWN_MS = 600
const HALF_AN_HOUR = 30 * 60_000

export function startRandomKills(
  { killable }: Pick<StormSite, 'killable'>,
  random: SeededRandom,
  delivered: () => number,
  payments: number,
): RandomKills {
  const kinds = Object.keys(killable)
  const counts: Record<string, number> = {}
  let isStopped = false

  /** Each kind once, in random order, again and again; sometimes two at once. */
  async function run(): Promise<void> {
    while (!isStopped) {
      const order = random.shuffle(kinds)
      while (order.length > 0 && !isStopped) {
        const due =
          delivered() + Math.round(meanGap(payments) * (0.5 + random.integerBelow(100) / 100))
        await waitUntil('the next kill is due', () => isStopped || delivered() >= due, HALF_AN_HOUR)
        if (isStopped) return
        const together = order.splice(0, random.integerBelow(4) === 0 ? 2 : 1)
        await Promise.all(together.map(killAndRestart))
      }
    }
  }

  async function killAndRestart(kind: string): Promise<void> {
    const one: Killable = random.pick(killable[kind] ?? [])
    const downMs = random.integerBelow(MAX_DOWN_MS)
    await delay(random.integerBelow(50))
    counts[kind] = (counts[kind] ?? 0) + 1
    await one.kill()
    await delay(downMs)
    await one.restart()
  }

  const running = run()
  return {
    counts,
    failure: running.then(() => new Promise<never>(() => {})),
    hasKilledAll: () => kinds.every((kind) => counts[kind]),
    async stop() {
      isStopped = true
      await running
    },
  }
}
