/** Scans that are killed or interrupted, and resumed. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openEnvironment, sortedDomains } from './scan-environment.js'
import type { ScanResolver } from './scan-resolver.js'

/** A domain needs more on average, so a scan is never complete at these moments. */
const MIN_QUERIES = 3

/** Calls `act` at this query, counted from now; from then on nothing is answered. */
function actAtQuery(resolver: ScanResolver, count: number, act: () => void): void {
  let left = count
  resolver.handle = ({ send, message }) => {
    left--
    if (left > 0) send(message)
    else if (left === 0) act()
  }
}

function answerAll(resolver: ScanResolver): void {
  resolver.handle = ({ send, message }) => send(message)
}

test('a scan of 2,000 domains that is killed three times has each exactly once', async () => {
  const { domains, resolver, start, outputSize, readLines, journalPath } =
    await openEnvironment(2_000)
  const queries = domains.length * MIN_QUERIES
  // The third one comes when most domains were done before.
  for (const [index, share] of [0.1, 0.25, 0.5].entries()) {
    actAtQuery(resolver, Math.floor(queries * share), () => child.kill('SIGKILL'))
    const { child, ended } = start(...(index === 0 ? [] : ['--resume']))
    const { signal, stderr } = await ended
    expect({ index, signal, stderr }).toMatchObject({ signal: 'SIGKILL' })
    expect(existsSync(journalPath)).toBe(true)
  }
  expect(outputSize()).toBeGreaterThan(0)
  answerAll(resolver)
  const { exitCode, stderr } = await start('--resume').ended
  expect(exitCode).toBe(1)
  expect(sortedDomains(readLines())).toEqual([...domains].sort())
  // The summary counts what was done before, too.
  expect(stderr).toMatch(/Does not exist +│ +500 │ +25%/)
  expect(existsSync(journalPath)).toBe(false)
})

test('Ctrl-C ends a scan with complete lines, and says how to continue', async () => {
  const { domains, resolver, start, readLines } = await openEnvironment(600)
  actAtQuery(resolver, 600, () => child.kill('SIGINT'))
  const { child, ended } = start('--concurrency', '15')
  const { exitCode, stderr } = await ended
  const before = readLines()
  expect(exitCode).toBe(3)
  expect(before.length).toBeGreaterThan(0)
  expect(before.length).toBeLessThan(domains.length)
  expect(stderr).toContain(
    `The scan was interrupted after ${before.length} domains. To continue, run the same command with --resume.\n`,
  )
  expect(stderr).not.toContain('Warning')
  expect(before.filter(({ error }) => error?.code.startsWith('dns_'))).toEqual([])
  answerAll(resolver)
  expect((await start('--resume').ended).exitCode).toBe(1)
  expect(sortedDomains(readLines())).toEqual([...domains].sort())
})
