import { describe, expect, test } from 'vitest'
import { UsageError } from '../command-line/command.js'
import { createKeySet, type InputFormat, readEntries } from './scan-input.js'

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function entriesOf(content: string | Buffer, format: InputFormat, chunkSize = 1_000_000) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const entries: string[] = []
  for await (const entry of readEntries(inChunks(bytes, chunkSize), format)) entries.push(entry)
  return entries
}

const LINES = { isCsv: false }
const csv = (column?: string) => ({ isCsv: true, column })

describe('a text file', () => {
  const text =
    '\ufeff# customers\nacme.test\r\n\n  bücher.test  \nparked.test # for sale\n#\nlast.test'

  test('has one domain a line, with comments and blank lines', async () => {
    const expected = ['acme.test', 'bücher.test', 'parked.test', 'last.test']
    expect(await entriesOf(text, LINES)).toEqual(expected)
  })

  test('is the same in chunks that cut characters and line ends', async () => {
    for (const size of [1, 2, 3, 7]) {
      expect(await entriesOf(text, LINES, size)).toEqual(await entriesOf(text, LINES))
    }
  })

  test.each([1, 7])('may be UTF-16, as PowerShell writes it, in chunks of %i', async (size) => {
    const bytes = Buffer.from(text, 'utf16le')
    for (const encoded of [bytes, Buffer.from(bytes).swap16()]) {
      const entries = await entriesOf(encoded, LINES, size)
      expect(entries).toEqual(['acme.test', 'bücher.test', 'parked.test', 'last.test'])
    }
  })

  test('keeps a # inside a URL', async () => {
    expect(await entriesOf('https://acme.test/#top\n', LINES)).toEqual(['https://acme.test/#top'])
  })

  test('is cut at 10,000 characters a line, so no line fills the memory', async () => {
    const [entry = '', next] = await entriesOf(`${'x'.repeat(50_000)}\nacme.test`, LINES, 4_096)
    expect(entry.length).toBeLessThanOrEqual(10_000)
    expect(next).toBe('acme.test')
  })
})

describe('a CSV file', () => {
  const table =
    'Customer,Domain,Since\n"Acme, Inc",acme.test,2020\nOther,"b.test",2021\nNone,,2022\n'

  test('has a column by name, whatever its case', async () => {
    expect(await entriesOf(table, csv('DOMAIN'))).toEqual(['acme.test', 'b.test'])
  })

  test('has a column by number, and a first row without a domain is a header', async () => {
    expect(await entriesOf(table, csv('2'))).toEqual(['acme.test', 'b.test'])
    expect(await entriesOf('1,acme.test\n2,b.test\n', csv('2'))).toEqual(['acme.test', 'b.test'])
  })

  test('is read at "domain" or else at the first column if none is named', async () => {
    expect(await entriesOf(table, csv())).toEqual(['acme.test', 'b.test'])
    expect(await entriesOf('a.test,1\nb.test,2\n', csv())).toEqual(['a.test', 'b.test'])
  })

  test('may have semicolons, a byte order mark and short rows', async () => {
    const text = '\ufeffdomain;note\r\na.test;x\r\nb.test\r\n'
    expect(await entriesOf(text, csv('domain'))).toEqual(['a.test', 'b.test'])
  })

  test('has cells that are cut at 10,000 characters, as lines are', async () => {
    const [entry = '', next] = await entriesOf(`domain\n${'x'.repeat(50_000)}\nb.test\n`, csv())
    expect(entry).toBe('x'.repeat(10_000))
    expect(next).toBe('b.test')
  })

  test('is refused without the column', async () => {
    await expect(entriesOf(table, csv('Website'))).rejects.toThrow(
      new UsageError(
        'The CSV file doesn’t have a column Website. It has 3: Customer, Domain, Since.',
      ),
    )
    await expect(entriesOf(table, csv('4'))).rejects.toThrow('a column 4')
  })

  test('is refused in few words if its first row is long', async () => {
    const row = Array.from({ length: 1_000 }, () => 'x'.repeat(50)).join()
    const shown = Array.from({ length: 20 }, () => 'x'.repeat(40)).join(', ')
    await expect(entriesOf(`${row}\n`, csv('Website'))).rejects.toThrow(
      new UsageError(`The CSV file doesn’t have a column Website. It has 1000: ${shown} ….`),
    )
  })

  test('is refused if it cannot be parsed', async () => {
    await expect(entriesOf('domain\n"a.test\n', csv())).rejects.toThrow(
      'The input isn’t a valid CSV file',
    )
  })
})

test('a key is new once, also after the table has grown', () => {
  const keys = createKeySet()
  const names = Array.from({ length: 20_000 }, (_, index) => `d${index}.test`)
  expect(names.filter((name) => keys.add(name))).toHaveLength(20_000)
  expect(names.filter((name) => keys.add(name))).toEqual([])
  expect(keys.add('other.test')).toBe(true)
})
