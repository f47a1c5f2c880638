/** Scans that are killed or interrupted, and resumed. */
import { existsSync } from 'node:fs'
import { waitUntil } from '@mailgrade/testing/wait-until'
import { expect, test } from 'vitest'
import { openEnvironment, sortedDomains } from './scan-environment.js'

/** A line has at least 200 octets, so the scan is not complete at any of these moments. */
const MIN_LINE_OCTETS = 200

test('a scan of 10,000 domains that is killed three times has each exactly once', async () => {
  const { domains, start, outputSize, readLines, journalPath } = await openEnvironment(10_000)
  const moments = Array.from({ length: 3 }, () =>
    Math.floor(Math.random() * domains.length * MIN_LINE_OCTETS),
  ).sort((left, right) => left - right)
  for (const [index, size] of moments.entries()) {
    const { child, ended } = start(...(index === 0 ? [] : ['--resume']))
    const hasEnded = () => child.exitCode !== null
    const condition = `the output has ${size} octets`
    await waitUntil(condition, () => outputSize() > size || hasEnded(), 240_000)
    child.kill('SIGKILL')
    const { signal, stderr } = await ended
    expect({ moments, index, signal, stderr }).toMatchObject({ signal: 'SIGKILL' })
    expect(existsSync(journalPath)).toBe(true)
  }
  const { exitCode, stderr } = await start('--resume').ended
  expect(exitCode).toBe(1)
  expect(sortedDomains(readLines())).toEqual([...domains].sort())
  // The summary counts what was done before, too.
  expect(stderr).toMatch(/Does not exist +│ +2,500 │ +25%/)
  expect(existsSync(journalPath)).toBe(false)
}, 300_000)

test('Ctrl-C ends a scan with complete lines, and says how to continue', async () => {
  const { domains, start, outputSize, readLines } = await openEnvironment(600)
  const { child, ended } = start('--concurrency', '15')
  await waitUntil('there are results', () => outputSize() > 10 * MIN_LINE_OCTETS)
  child.kill('SIGINT')
  const { exitCode, stderr } = await ended
  const before = readLines()
  expect(exitCode).toBe(3)
  expect(before.length).toBeLessThan(domains.length)
  expect(stderr).toContain(
    `The scan was interrupted after ${before.length} domains. To continue, run the same command with --resume.\n`,
  )
  expect(stderr).not.toContain('Warning')
  expect(before.filter(({ error }) => error?.code.startsWith('dns_'))).toEqual([])
  expect((await start('--resume').ended).exitCode).toBe(1)
  expect(sortedDomains(readLines())).toEqual([...domains].sort())
}, 120_000)
