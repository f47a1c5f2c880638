/** Reads an input file before the scan, to count its entries and to see that it can be read. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { UsageError } from '../command-line/command.js'
import { type InputFormat, readEntries } from './scan-input.js'

export interface InputSurvey {
  /** With duplicates. */
  readonly entries: number
  /** Changes with the content of the file. */
  readonly sha256: string
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you do not have permission to read it',
}

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
    if (error instanceof UsageError) throw error
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new UsageError(`${path} could not be read: ${REASONS[code] ?? message}. Check the path.`)
  }
  return { entries, sha256: digest.digest('hex') }
}
