import { findUnsafe, UNSAFE_TEXT } from '@mailgrade/testing/unsafe-characters'
import { expect, test } from 'vitest'
import { toolResult } from './mcp-tool.js'

const NOTICE = 'The full report is in structuredContent.'

/** A report with this many bytes of JSON. */
function reportOf(bytes: number, character = 'x') {
  const text = character.repeat((bytes - '{"text":""}'.length) / Buffer.byteLength(character))
  return { text }
}

const texts = ({ content }: ReturnType<typeof toolResult>) => content.map(({ text }) => text)

test.each([100, 8_191, 8_192])('a report of %i bytes is repeated as text', (bytes) => {
  const report = reportOf(bytes)
  const result = toolResult('All good.', report)
  expect(Buffer.byteLength(JSON.stringify(report))).toBe(bytes)
  expect(texts(result)).toEqual(['All good.', JSON.stringify(report)])
  expect(result.structuredContent).toEqual(report)
})

test.each([
  ['8,193 bytes', reportOf(8_193)],
  ['a megabyte', reportOf(1_048_576)],
  ['2,729 characters of three bytes each', reportOf(8_198, '€')],
])('a report of %s is sent once, and the text says where', (_, report) => {
  const result = toolResult('All good.', report)
  expect(texts(result)).toEqual([`All good. ${NOTICE}`])
  expect(result.structuredContent).toEqual(report)
})

test('JSON that was made earlier is sent as it is', () => {
  expect(texts(toolResult('All good.', { a: 1 }, '{ "a": 1 }'))).toEqual([
    'All good.',
    '{ "a": 1 }',
  ])
})

test.each([
  ['letters', 'x'.repeat(2_007), 'x'.repeat(2_007)],
  ['more letters than fit', 'x'.repeat(2_008), `${'x'.repeat(2_004)}…`],
  ['words', 'word '.repeat(1_000), `${'word '.repeat(400)}word…`],
  ['characters of four bytes', '😀'.repeat(1_000), `${'😀'.repeat(501)}…`],
])('the text has at most 2 KB: %s', (_, summary, shown) => {
  const [text = '', ...others] = texts(toolResult(summary, reportOf(8_193)))
  expect(text).toBe(`${shown} ${NOTICE}`)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048)
  expect(others).toEqual([])
})

test('no text for models has an unsafe character, and the report in it is the same', () => {
  for (let start = 0; start < UNSAFE_TEXT.length; start += 500) {
    const report = { text: UNSAFE_TEXT.slice(start, start + 500) }
    const [summary = '', json = ''] = texts(toolResult(`Fix ${report.text}`, report))
    expect(findUnsafe(summary + json)).toEqual([])
    expect(summary).not.toContain('\n')
    expect(JSON.parse(json)).toEqual(report)
  }
})
