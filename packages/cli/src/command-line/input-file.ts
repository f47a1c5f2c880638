/** Why a file can't be read, in plain words. */
import { UsageError } from './command.js'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there’s no such file',
  EISDIR: 'it’s a folder',
  EACCES: 'you don’t have permission to read it',
}

export function toReadProblem(error: unknown, path: string): UsageError {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new UsageError(`We couldn’t read ${path}: ${REASONS[code] ?? message}. Check the path.`)
}
