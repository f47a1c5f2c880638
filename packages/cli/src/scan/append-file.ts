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
  return {
    append(text) {
      const bytes = Buffer.from(text)
      // A write may end early, for example when the disk is nearly full.
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      length += bytes.length
    },
    length: () => length,
    close: () => closeSync(file),
  }
}
