/** A file that grows. Each text is written before `append` returns, so writes keep their order. */
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs'

export interface AppendFile {
  append(text: string): void
  /** In octets. */
  length(): number
  close(): void
}

/** Keeps the first `keptLength` octets of the file; with 0, it need not exist. */
export function openAppendFile(path: string, keptLength: number): AppendFile {
  if (keptLength > 0) truncateSync(path, keptLength)
  const file = openSync(path, keptLength > 0 ? 'a' : 'w')
  let length = keptLength
  let failure: unknown = null

  function write(bytes: Buffer): void {
    // A write may end early, for example when the disk is nearly full.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    length += bytes.length
  }

  return {
    append(text) {
      // The file may end with a part of a text, which no other text may follow.
      if (failure !== null) throw failure
      try {
        write(Buffer.from(text))
      } catch (error) {
        failure = error
        throw error
      }
    },
    length: () => length,
    close: () => closeSync(file),
  }
}
