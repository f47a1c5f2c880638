/** A file in its URL, as base64, which is shorter than percent-encoding for most files of a plan. */
export function dataUrl({ type, content }: { type: string; content: string }): string {
  return `data:${type};charset=utf-8;base64,${Buffer.from(content).toString('base64')}`
}
