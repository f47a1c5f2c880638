/** The progress of a scan: a bar on a terminal, a line every ten seconds elsewhere. */
import { createLogUpdate } from 'log-update'
import type { CommandContext, OutputStream } from '../command-line/command.js'
import { createLayout, type Layout } from '../terminal/layout.js'
import { type Count, formatCount } from './scan-summary.js'

export interface ProgressState {
  /** Entries of the input that are done, with those of an earlier run. */
  readonly done: number
  /** Null if the input is a pipe. */
  readonly total: number | null
  /** Domains per second in this run. */
  readonly perSecond: number
  readonly verdicts: readonly Count[]
  /** Queries per second, if the resolvers get fewer than allowed. */
  readonly slowedTo: number | null
}

const REDRAW_MS = 100
const LINE_EVERY_MS = 10_000

/** `read` is called when there is something to show; `end` removes the bar. */
export function showProgress(
  { stderr, env }: Pick<CommandContext, 'stderr' | 'env'>,
  read: () => ProgressState,
): { end(): void } {
  if (!stderr.isTTY) {
    const timer = setInterval(() => stderr.write(`${progressLine(read())}\n`), LINE_EVERY_MS)
    return { end: () => clearInterval(timer) }
  }
  // The cursor stays visible, because a killed process could not restore it.
  const draw = createLogUpdate(toWritable(stderr), { showCursor: true })
  const timer = setInterval(() => draw(progressBar(read(), createLayout(stderr, env))), REDRAW_MS)
  return {
    end() {
      clearInterval(timer)
      draw.clear()
      draw.done()
    },
  }
}

/** The library only writes to it and reads the size of the terminal. */
function toWritable(stream: OutputStream): NodeJS.WritableStream {
  return stream as unknown as NodeJS.WritableStream
}

const BAR_CELLS = 20

export function progressBar(state: ProgressState, { style }: Pick<Layout, 'style'>): string {
  const { done, total, perSecond, verdicts, slowedTo } = state
  const facts = [`${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`}`]
  if (total !== null) {
    const share = total === 0 ? 1 : Math.min(done / total, 1)
    const full = Math.floor(share * BAR_CELLS)
    const bar = `${style('green', '█'.repeat(full))}${style('dim', '░'.repeat(BAR_CELLS - full))}`
    facts.unshift(bar)
    facts.push(`${Math.floor(share * 100)}%`)
  }
  facts.push(`${formatRate(perSecond)}/s`)
  const left = timeLeft(state)
  if (left !== null) facts.push(`ETA ${left}`)
  const lines = [facts.join('  '), verdicts.map(describeCount).join('  ')]
  if (slowedTo !== null) lines.push(style('yellow', describeSlowdown(slowedTo)))
  return lines.filter((line) => line !== '').join('\n')
}

export function progressLine(state: ProgressState): string {
  const { done, total, perSecond, verdicts, slowedTo } = state
  const left = timeLeft(state)
  const parts = [
    `${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`} domains`,
    `${formatRate(perSecond)} per second`,
    ...(left === null ? [] : [`about ${left} left`]),
  ]
  const found = verdicts.length === 0 ? '' : ` ${verdicts.map(describeCount).join(', ')}.`
  const slow = slowedTo === null ? '' : ` ${describeSlowdown(slowedTo)}`
  return `${parts.join(', ')}.${found}${slow}`
}

function describeCount({ name, count }: Count): string {
  return `${name} ${formatCount(count)}`
}

function describeSlowdown(perSecond: number): string {
  if (perSecond === 0) return 'Waiting, because the resolvers aren’t accepting queries right now.'
  return `Slowed down to ${formatRate(perSecond)} queries per second, because the resolvers are throttling us or failing.`
}

/** Null if it is unknown. */
function timeLeft({ done, total, perSecond }: ProgressState): string | null {
  if (total === null || perSecond === 0) return null
  return formatDuration(Math.max(total - done, 0) / perSecond)
}

/** `75` → `1 min 15 s` */
export function formatDuration(totalSeconds: number): string {
  const seconds = Math.round(totalSeconds)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function formatRate(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate))
}

const WINDOW_MS = 30_000

/** Measures how many domains per second were checked recently. */
export function createThroughput(now: () => number) {
  let samples = [{ at: now(), done: 0 }]
  return {
    measure(done: number): number {
      const at = now()
      const recent = samples.filter((sample) => at - sample.at <= WINDOW_MS)
      samples = [...(recent.length > 0 ? recent : samples.slice(-1)), { at, done }]
      const [first = { at, done }] = samples
      return at > first.at ? ((done - first.done) * 1_000) / (at - first.at) : 0
    },
  }
}
