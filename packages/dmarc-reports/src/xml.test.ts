import { expect, test } from 'vitest'
import { createXmlDecoder } from './xml.js'

function decode(...chunks: readonly (string | Buffer)[]): string {
  const decoder = createXmlDecoder()
  return chunks.map((chunk) => decoder(Buffer.from(chunk))).join('')
}

test.each([
  ['leaves out the declaration', ['<?xml version="1.0"?><a/>'], '<a/>'],
  ['leaves out a broken declaration', ['<?xml version=1><a/>'], '<a/>'],
  ['finds a declaration in pieces', ['<', '?', 'x', 'ml', ' ?', '>', '<a/>'], '<a/>'],
  ['keeps a document without one', ['<a', '/>'], '<a/>'],
  ['leaves out white space before it', [' \n', '\t<?xml?>', '<a/>'], '<a/>'],
  [
    'joins a character that is cut',
    [Buffer.from('<a>é').subarray(0, 4), Buffer.from([0xa9])],
    '<a>é',
  ],
  [
    'keeps a declaration without an end',
    [`<?xml ${' '.repeat(2_000)}`, 'x'],
    `<?xml ${' '.repeat(2_000)}x`,
  ],
])('%s', (_, chunks, text) => {
  expect(decode(...chunks)).toBe(text)
})

test('holds no white space before the document', () => {
  const space = Buffer.alloc(64_000, ' ')
  const decoder = createXmlDecoder()
  for (let index = 0; index < 100; index += 1) expect(decoder(space)).toBe('')
  expect(decoder(Buffer.from('<a/>'))).toBe('<a/>')
})
