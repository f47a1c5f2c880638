/** Reads a response while it is being sent. */

export function readInPieces(response: Response) {
  const reader = (response.body ?? new ReadableStream()).getReader()
  const decoder = new TextDecoder()
  let html = ''
  return {
    response,
    /** Everything sent until it contains the text, or until the end. */
    async readUntil(text: string): Promise<string> {
      while (!html.includes(text)) {
        const { done, value } = await reader.read()
        if (done) break
        html += decoder.decode(value, { stream: true })
      }
      return html
    },
  }
}
