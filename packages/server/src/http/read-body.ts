/** Reads a body no longer than it may be. Hono's own limit throws where a body breaks off. */
import type { HonoRequest } from 'hono'

const MAX_BYTES = 64 * 1_024

type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  /** The caller hung up, or what came is no HTTP any more. */
  | { readonly kind: 'broken' }

export const MAX_BODY_LABEL = `${MAX_BYTES / 1_024} KB`

export async function readBody(request: HonoRequest): Promise<Body> {
  const length = request.header('content-length')
  if (Number(length ?? 0) > MAX_BYTES) return { kind: 'too-large' }
  try {
    // Held to its length by the parser, it can be read the fast way.
    if (length !== undefined) return { kind: 'text', text: await request.text() }
    return await readUnmeasured(request.raw.body)
  } catch {
    return { kind: 'broken' }
  }
}

async function readUnmeasured(stream: ReadableStream<Uint8Array> | null): Promise<Body> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) return { kind: 'too-large' }
    chunks.push(chunk)
  }
  return { kind: 'text', text: new TextDecoder().decode(Buffer.concat(chunks)) }
}
