/** One line that shows what is happening, on a terminal only. */
import type { OutputStream } from '../command-line/command.js'

export interface StatusLine {
  show(text: string): void
  /** Removes the line. */
  end(): void
}

const REDRAW_MS = 100

export async function openStatusLine(stream: OutputStream): Promise<StatusLine> {
  if (!stream.isTTY) return { show() {}, end() {} }
  const { createLogUpdate } = await import('log-update')
  // The type asks for a Node stream, but the library uses only what an `OutputStream` has.
  const update = createLogUpdate(stream as NodeJS.WriteStream)
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(text) {
      const now = performance.now()
      if (now - shownAt < REDRAW_MS) return
      shownAt = now
      update(text)
    },
    end: () => update.clear(),
  }
}
