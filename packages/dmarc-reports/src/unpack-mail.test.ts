import { expect, onTestFinished, test, vi } from 'vitest'
import { splitMbox } from './unpack-mail.js'

async function split(chunks: readonly string[], maxBytes = 1_000): Promise<(string | null)[]> {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const mails: (string | null)[] = []
  for await (const mail of splitMbox(source(), maxBytes)) mails.push(mail?.toString() ?? null)
  return mails
}

const MBOX = 'From a\nA: 1\n\nfirst\n>From me\n\nFrom b\nB: 2\n\nsecond\n'

test('splits at separator lines and removes one level of quoting', async () => {
  expect(await split([MBOX])).toEqual(['A: 1\n\nfirst\nFrom me\n\n', 'B: 2\n\nsecond\n'])
})

test('splits the same when the chunks are single characters', async () => {
  expect(await split([...MBOX])).toEqual(await split([MBOX]))
})

test('does not split at a line that follows text', async () => {
  expect(await split(['From a\nA: 1\n\ntext\nFrom here\n'])).toEqual(['A: 1\n\ntext\nFrom here\n'])
})

test('returns null for a mail above the limit, and goes on with the next', async () => {
  const long = `From a\nA: 1\n\n${'x'.repeat(300)}\n${'y\n'.repeat(20)}\nFrom b\nB: 2\n`
  expect(await split([...(long.match(/.{1,7}/gs) ?? [])], 50)).toEqual([null, 'B: 2\n'])
})

test('holds no list of the lines of a mail, however short they are', async () => {
  const concat = vi.spyOn(Buffer, 'concat')
  onTestFinished(() => concat.mockRestore())
  const [mail] = await split(['From a\nA: 1\n\n', ...Array(50).fill('\n'.repeat(1_000))], 100_000)
  expect(mail).toBe(`A: 1\n\n${'\n'.repeat(50_000)}`)
  expect(Math.max(0, ...concat.mock.calls.map(([parts]) => parts.length))).toBeLessThan(10)
})
