import { expect, test, vi } from 'vitest'
import { createOutput } from '../../test/support/test-context.js'
import {
  formatDuration,
  type ProgressState,
  progressBar,
  progressLine,
  showProgress,
} from './scan-progress.js'

const STATE: ProgressState = {
  done: 4_312,
  total: 10_000,
  perSecond: 12.3,
  verdicts: [
    { name: 'Exposed', count: 3_000 },
    { name: 'Protected', count: 1_312 },
  ],
  slowedTo: null,
}

const plain = { style: (_: string, text: string) => text }

test('a bar shows how much is done, the rate, the time left and the verdicts', () => {
  expect(progressBar(STATE, plain)).toBe(
    '████████░░░░░░░░░░░░  4,312 of 10,000  43%  12/s  ETA 7 min 42 s\nExposed 3,000  Protected 1,312',
  )
})

test('without a total there is no bar and no time left', () => {
  expect(progressBar({ ...STATE, total: null, verdicts: [] }, plain)).toBe('4,312  12/s')
})

test('a line says the same in words', () => {
  expect(progressLine(STATE)).toBe(
    '4,312 of 10,000 domains, 12 per second, about 7 min 42 s left. Exposed 3,000, Protected 1,312.',
  )
  expect(progressLine({ ...STATE, perSecond: 0, verdicts: [], slowedTo: 25 })).toBe(
    '4,312 of 10,000 domains, 0.0 per second. Slowed down to 25 queries per second, because the resolvers are throttling us or failing.',
  )
  expect(progressLine({ ...STATE, total: null, verdicts: [], slowedTo: 0 })).toBe(
    '4,312 domains, 12 per second. Waiting, because the resolvers aren’t accepting queries right now.',
  )
})

test.each([
  [59.4, '59 s'],
  [75, '1 min 15 s'],
  [3_600 * 5 + 61, '5 h 1 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

test('a terminal gets a bar ten times a second, other streams a line every ten seconds', () => {
  vi.useFakeTimers()
  try {
    const terminal = createOutput(80)
    const pipe = createOutput()
    let reads = 0
    const bar = showProgress({ stderr: terminal, env: { NO_COLOR: '1' } }, () => {
      reads++
      return STATE
    })
    const line = showProgress({ stderr: pipe, env: {} }, () => STATE)
    vi.advanceTimersByTime(25_000)
    expect(reads).toBe(250)
    expect(terminal.text()).toContain('4,312 of 10,000  43%')
    expect(pipe.text()).toBe(`${progressLine(STATE)}\n`.repeat(2))
    bar.end()
    line.end()
    vi.advanceTimersByTime(25_000)
    expect(reads).toBe(250)
  } finally {
    vi.useRealTimers()
  }
})
