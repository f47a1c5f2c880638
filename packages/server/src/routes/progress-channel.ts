/** Passes what has finished from the checks to the page that is being sent. */

export interface ProgressChannel<Step> {
  readonly reader: ReadableStreamDefaultReader<Step>
  add(step: Step): void
  end(): void
}

export function createProgressChannel<Step>(): ProgressChannel<Step> {
  let controller: ReadableStreamDefaultController<Step> | undefined
  const stream = new ReadableStream<Step>({
    start(it) {
      controller = it
    },
  })
  return {
    reader: stream.getReader(),
    add: (step) => controller?.enqueue(step),
    end: () => controller?.close(),
  }
}
