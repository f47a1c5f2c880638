/** The domains of a scan, one by one from a text file, a CSV column or a pipe, and each only once. */
import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { TextDecoder } from 'node:util'
import { parseDomainInput } from '@mailgrade/core'
import { CsvError, parse } from 'csv-parse'
import { UsageError } from '../command-line/command.js'
import { toReadProblem } from '../command-line/input-file.js'

export interface InputFormat {
  readonly isCsv: boolean
  /** The name of a CSV column or its number, from 1. Default: `domain`, or the first one. */
  readonly column?: string | undefined
}

type Bytes = AsyncIterable<Uint8Array>

/** Yields what is left of each line or cell without blanks and comments; empty ones are skipped. */
export function readEntries(bytes: Bytes, { isCsv, column }: InputFormat): AsyncGenerator<string> {
  return isCsv ? readColumn(bytes, column) : readLines(bytes)
}

/** Longer than any domain, address or URL; the rest of such a line or cell is dropped. */
const MAX_LINE_LENGTH = 10_000

async function* readLines(bytes: Bytes): AsyncGenerator<string> {
  const { start, all } = await lookAhead(bytes, ({ length }) => length >= 2)
  const decoder = decoderFor(start)
  let rest = ''
  for await (const chunk of all) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\r|\n/)
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH)
    for (const line of lines) {
      const entry = withoutComment(line)
      if (entry !== '') yield entry
    }
  }
  const entry = withoutComment(rest + decoder.decode())
  if (entry !== '') yield entry
}

/** PowerShell writes UTF-16. The decoder removes the mark at the start. */
function decoderFor([first, second]: Uint8Array): TextDecoder {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  return new TextDecoder()
}

/** A URL may have a `#` of its own, so a comment after a domain needs a space before it. */
function withoutComment(line: string): string {
  const text = line.slice(0, MAX_LINE_LENGTH)
  return text.replace(/(?:^|\s)#.*$/s, '').trim()
}

const MAX_RECORD_BYTES = 1_000_000

async function* readColumn(bytes: Bytes, column: string | undefined): AsyncGenerator<string> {
  const { start, all } = await lookAhead(bytes, hasFirstLine)
  const [firstLine = ''] = start.toString('latin1').split('\n', 1)
  const parser = parse({
    bom: true,
    delimiter: mostFrequentDelimiter(firstLine),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
  })
  // An error of either stream ends the loop below, so there is nothing to do here.
  pipeline(all, parser, () => {})
  let index: number | null = null
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      if (index === null) {
        const found = findColumn(row, column)
        index = found.index
        if (found.isHeader) continue
      }
      const entry = (row[index] ?? '').slice(0, MAX_LINE_LENGTH).trim()
      if (entry !== '' && !entry.startsWith('#')) yield entry
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UsageError(`The input isn’t a valid CSV file: ${error.message}`)
  }
}

function hasFirstLine(start: Buffer): boolean {
  return start.includes('\n') || start.length >= MAX_LINE_LENGTH
}

/** Reads until there is enough, or to the end; `all` still begins with what was read. */
async function lookAhead(
  bytes: Bytes,
  isEnough: (start: Buffer) => boolean,
): Promise<{ start: Buffer; all: Bytes }> {
  const chunks = bytes[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  while (!isEnough(start)) {
    const next = await chunks.next()
    if (next.done) break
    start = Buffer.concat([start, next.value])
  }
  async function* all() {
    try {
      yield start
      yield* { [Symbol.asyncIterator]: () => chunks }
    } finally {
      await chunks.return?.()
    }
  }
  return { start, all: all() }
}

/** Spreadsheets write semicolons where a comma is the decimal separator. */
function mostFrequentDelimiter(line: string): string {
  const counts = [',', ';', '\t'].map(
    (delimiter) => [delimiter, line.split(delimiter).length] as const,
  )
  return counts.reduce((best, other) => (other[1] > best[1] ? other : best))[0]
}

/** A first row that is not a header may be of any length. */
const MAX_SHOWN_NAMES = 20
const MAX_SHOWN_NAME = 40

interface Column {
  readonly index: number
  readonly isHeader: boolean
}

function findColumn(firstRow: readonly string[], column: string | undefined): Column {
  const names = firstRow.map((name) => name.trim().toLowerCase())
  const named = names.indexOf((column ?? 'domain').trim().toLowerCase())
  if (named >= 0) return { index: named, isHeader: true }
  const number = column === undefined ? 1 : Number(column)
  if (!Number.isInteger(number) || number < 1 || number > firstRow.length) {
    const shown = firstRow.slice(0, MAX_SHOWN_NAMES).map((name) => name.slice(0, MAX_SHOWN_NAME))
    const rest = firstRow.length > MAX_SHOWN_NAMES ? ' …' : ''
    throw new UsageError(
      `The CSV file doesn’t have a column ${column}. It has ${firstRow.length}: ${shown.join(', ')}${rest}.`,
    )
  }
  const index = number - 1
  const first = parseDomainInput(firstRow[index] ?? '', { allowPrivateNames: true })
  return { index, isHeader: first.kind === 'refused' }
}

export interface InputSurvey {
  /** With duplicates. */
  readonly entries: number
  /** Changes with the content of the file. */
  readonly sha256: string
}

/** Reads a file before the scan, to count its entries and to see that it can be read. */
export async function surveyInput(path: string, format: InputFormat): Promise<InputSurvey> {
  const digest = createHash('sha256')
  async function* bytes() {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      digest.update(chunk)
      yield chunk
    }
  }
  let entries = 0
  try {
    for await (const _ of readEntries(bytes(), format)) entries++
  } catch (error) {
    throw error instanceof UsageError ? error : toReadProblem(error, path)
  }
  return { entries, sha256: digest.digest('hex') }
}

const FIRST_CAPACITY = 1_024

/**
 * The domains that a scan has seen, in 16 to 32 bytes each: a hash table with open addressing, where
 * a pair of zeros marks a free slot. Only 64 bits of a SHA-256 digest are kept. Among a million
 * domains, two share them with a probability of one in 37 million; the second would be skipped.
 */
export function createKeySet() {
  let slots = new Uint32Array(2 * FIRST_CAPACITY)
  let size = 0

  function insert(high: number, low: number): boolean {
    const mask = slots.length / 2 - 1
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = 2 * slot
      if (slots[at] === 0 && slots[at + 1] === 0) {
        slots[at] = high
        slots[at + 1] = low
        return true
      }
      if (slots[at] === high && slots[at + 1] === low) return false
    }
  }

  function grow(): void {
    const old = slots
    slots = new Uint32Array(2 * old.length)
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]]
      if (high !== 0 || low !== 0) insert(high, low)
    }
  }

  return {
    /** False if the key was in the set already. */
    add(key: string): boolean {
      const digest = hash('sha256', key, 'buffer')
      // A digest of zeros would look like a free slot.
      const isNew = insert(digest.readUInt32LE(0) || 1, digest.readUInt32LE(4))
      if (isNew) size++
      if (size > slots.length / 4) grow()
      return isNew
    },
  }
}
