/** Reads the reports of a stream of bytes; each record is passed on as soon as it is complete. */
import { SaxesParser } from 'saxes'
import {
  type AggregateMetadata,
  type AggregateRecord,
  readMetadata,
  readRecord,
} from './aggregate-report.js'
import type { ByteStream } from './byte-stream.js'
import { MAX_XML_BYTES, type ProblemKind } from './problem.js'
import { createXmlDecoder, domainOf, type XmlElement } from './xml.js'

export type ParsedAggregateReport =
  | {
      readonly kind: 'report'
      readonly metadata: AggregateMetadata
      readonly records: number
      /** Records without a valid source address or count. */
      readonly skippedRecords: number
      /** The stream broke after the end of the report. */
      readonly isDamaged: boolean
    }
  | {
      readonly kind: 'error'
      readonly reason: Extract<
        ProblemKind,
        | 'empty'
        | 'not-a-report'
        | 'broken-xml'
        | 'entities'
        | 'too-large'
        | 'oversized-element'
        | 'damaged'
        | 'incomplete'
        | 'bad-period'
      >
    }

type Failure = Extract<ParsedAggregateReport, { kind: 'error' }>['reason']

/** Limits what a hostile document makes the parser hold. */
const MAX_PENDING_CHARACTERS = 1_000_000
const MAX_DEPTH = 50
const MAX_ELEMENTS = 2_000
const MAX_TEXT = 2_000
const FEED_BYTES = 65_536

const NAMESPACE = 'urn:ietf:params:xml:ns:dmarc-2.0'
const PARTS = new Set(['report_metadata', 'policy_published', 'record'])

/** Mistakes that leave the document readable. */
const HARMLESS = ['disallowed character.', 'undefined entity.']

/**
 * People concatenate reports. Each is yielded when the next one begins or the stream ends, and
 * before any record of the next. XML that cannot be read ends the stream.
 */
export async function* parseAggregateReports(
  source: ByteStream,
  onRecord: (record: AggregateRecord) => void,
  maxBytes: number = MAX_XML_BYTES,
): AsyncGenerator<ParsedAggregateReport> {
  const decode = createXmlDecoder()
  const reader = createReader(onRecord)
  const iterator = source[Symbol.asyncIterator]()
  let bytes = 0
  try {
    while (!reader.hasFailed()) {
      // A stream that breaks is an archive that is truncated or damaged.
      const next = await iterator.next().catch(() => null)
      if (next === null || next.done) return yield reader.finish(next === null)
      bytes += next.value.length
      if (bytes > maxBytes) return yield { kind: 'error', reason: 'too-large' }
      for (let at = 0; at < next.value.length && !reader.hasFailed(); at += FEED_BYTES) {
        yield* reader.read(decode(next.value.subarray(at, at + FEED_BYTES)))
      }
    }
    yield reader.finish(false)
  } finally {
    await iterator.return?.()
  }
}

function createReader(onRecord: (record: AggregateRecord) => void) {
  let parser = createAggregateParser(onRecord)
  let findNext = createStartFinder()

  /** Yields each report that is followed by another one. */
  function* read(text: string): Generator<ParsedAggregateReport> {
    for (let next: string | null = text; next !== null; ) {
      const rest = parser.feed(next)
      next = rest === null ? null : findNext(rest)
      if (next === null) return
      yield parser.finish(false)
      parser = createAggregateParser(onRecord)
      findNext = createStartFinder()
    }
  }

  return {
    read,
    hasFailed: () => parser.failure() !== null,
    finish: (isDamaged: boolean) => parser.finish(isDamaged),
  }
}

const DOCUMENT_TYPE = /<!(?:doctype|entity)/i

/** The name of a longer prefix is not found. */
const MAX_START = 64
const START = /<(?:[\w.-]{1,50}:)?feedback[\s/>]/

/** For what follows a report: returns the next one as far as it is in the text, or null. */
function createStartFinder(): (text: string) => string | null {
  let tail = ''
  let documentType = ''
  return (text) => {
    const gap = tail + text
    const at = gap.search(START)
    const before = at === -1 ? gap : gap.slice(0, at)
    // Kept, so the next report is refused for it like the first one.
    documentType ||= DOCUMENT_TYPE.exec(before)?.[0] ?? ''
    tail = gap.slice(-MAX_START)
    return at === -1 ? null : documentType + gap.slice(at)
  }
}

function createAggregateParser(onRecord: (record: AggregateRecord) => void) {
  const sax = new SaxesParser({ position: false })
  const path: (XmlElement | null)[] = []
  const parts = new Map<string, XmlElement>()
  let failure: Failure | null = null
  let hasEvent = false
  let hasText = false
  let hasSchema = false
  let isReport = false
  let isComplete = false
  let written = 0
  /** Where the report ends, in characters since its start. */
  let end = 0
  let hasNewNamespace = false
  let hasRoot = false
  let lastClosed = ''
  let elements = 0
  let pending = 0
  let records = 0
  let skippedRecords = 0

  const fail = (reason: Failure) => {
    failure ??= reason
  }

  // An eighth handler would make the parser five times slower: V8 then looks up its fields by name.
  sax.on('error', ({ message }) => {
    const isTolerated =
      HARMLESS.includes(message) ||
      (message === 'unexpected close tag.' && isStraySchema(lastClosed)) ||
      (message === 'documents may contain only one root.' && hasSchema)
    if (!isTolerated && !isComplete) fail(isReport ? 'broken-xml' : 'not-a-report')
  })
  sax.on('doctype', () => {
    if (!isComplete) fail('entities')
  })
  sax.on('comment', () => {
    hasEvent = true
  })
  sax.on('opentag', ({ name, attributes }) => {
    hasEvent = true
    if (isStraySchema(name)) hasSchema = true
    if (isComplete || failure !== null || isStraySchema(name)) return
    const local = localName(name)
    if (!hasRoot) {
      hasRoot = true
      if (local !== 'feedback') return fail('not-a-report')
      hasNewNamespace = Object.values(attributes).includes(NAMESPACE)
    }
    if (path.length >= MAX_DEPTH) return fail('oversized-element')
    path.push(openElement(local))
  })
  sax.on('closetag', ({ name }) => {
    hasEvent = true
    lastClosed = name
    if (isComplete || failure !== null || isStraySchema(name)) return
    const element = path.pop()
    if (path.length === 0) {
      isComplete = true
      end = sax.position
    } else if (path.length === 1 && element) finishPart(element)
  })
  const addText = (text: string) => {
    hasEvent = true
    const element = path.at(-1)
    if (element && element.text.length < MAX_TEXT) element.text += text.slice(0, MAX_TEXT)
  }
  sax.on('text', addText)
  sax.on('cdata', addText)

  /** Null for elements that are not kept: the root, unknown parts, and too many in one part. */
  function openElement(name: string): XmlElement | null {
    const parent = path.at(-1)
    if (path.length === 0 || parent === null) return path.length === 1 ? openPart(name) : null
    elements += 1
    if (!parent || elements > MAX_ELEMENTS) return null
    const element = { name, text: '', children: [] }
    parent.children.push(element)
    return element
  }

  function openPart(name: string): XmlElement | null {
    elements = 0
    return PARTS.has(name) ? { name, text: '', children: [] } : null
  }

  function finishPart(element: XmlElement): void {
    if (element.name !== 'record') {
      // Of two policies, the first counts.
      if (!parts.has(element.name)) parts.set(element.name, element)
      return
    }
    const record = readRecord(element, domainOf(parts.get('policy_published'), 'domain'))
    if (record === null) {
      skippedRecords += 1
    } else {
      records += 1
      onRecord(record)
    }
  }

  /** Returns what follows the end of the report, or null before it ends. */
  function feed(text: string): string | null {
    if (isComplete) return text
    hasText ||= text.trim() !== ''
    isReport ||= text.includes('feedback')
    hasEvent = false
    const rest = write(text)
    pending = hasEvent ? 0 : pending + text.length
    if (pending > MAX_PENDING_CHARACTERS) fail('oversized-element')
    return rest
  }

  function write(text: string): string | null {
    for (let at = 0; at < text.length && failure === null; ) {
      const next = endOfTag(text, at)
      const piece = text.slice(at, next)
      if (!hasRoot && DOCUMENT_TYPE.test(piece)) fail('entities')
      sax.write(piece)
      if (isComplete) return text.slice(at + end - written)
      written += piece.length
      at = next
    }
    return null
  }

  return {
    failure: () => failure,
    feed,

    finish(isDamaged: boolean): ParsedAggregateReport {
      if (failure !== null) return { kind: 'error', reason: failure }
      if (!isComplete) {
        return { kind: 'error', reason: unfinished(isDamaged, hasText, isReport) }
      }
      const read = readMetadata(
        parts.get('report_metadata'),
        parts.get('policy_published'),
        hasNewNamespace,
      )
      if (read.kind !== 'metadata') return { kind: 'error', reason: read.kind }
      return { kind: 'report', metadata: read.metadata, records, skippedRecords, isDamaged }
    },
  }
}

/** After the next tag that may end the report, so little of the text is parsed in vain. */
function endOfTag(text: string, from: number): number {
  const name = text.indexOf('feedback', from)
  const end = name === -1 ? -1 : text.indexOf('>', name)
  return end === -1 ? text.length : end + 1
}

function unfinished(isDamaged: boolean, hasText: boolean, isReport: boolean): Failure {
  if (isDamaged) return 'damaged'
  if (!hasText) return 'empty'
  return isReport ? 'broken-xml' : 'not-a-report'
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Some software leaves the start tag of its schema in the report and never closes it. */
function isStraySchema(name: string): boolean {
  return localName(name) === 'schema'
}
