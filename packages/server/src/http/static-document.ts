/** Documents: the same for every caller, so callers and caches may keep them. */
import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { memoizeAsync } from '../state/memoize-async.js'
import { addGetRoute } from './add-route.js'
import { acceptsGzip, gzipBody, type HttpEnv, respond, setHeader, setHeaders } from './respond.js'

/** Short, so an upgrade shows soon; with the ETag, a repeated request is cheap. */
const CACHE_CONTROL = 'public, max-age=300'

export interface StaticDocument {
  readonly type: string
  /** Called for the first request; the result is kept. */
  readonly body: () => string | Buffer | Promise<string | Buffer>
  readonly headers?: Readonly<Record<string, string>>
}

export function addDocumentRoute(app: Hono<HttpEnv>, path: string, document: StaticDocument): void {
  addGetRoute(app, path, documentHandler(document))
}

export function documentHandler({ type, body, headers = {} }: StaticDocument) {
  const encode = memoizeAsync(async () => encodeBody(await body()))
  return async function handleDocument(c: Context<HttpEnv>): Promise<Response> {
    const { plain, gzipped, etag } = await encode()
    setHeader(c, 'Cache-Control', CACHE_CONTROL)
    setHeaders(c, headers)
    setHeader(c, 'ETag', etag)
    const useGzip = acceptsGzip(c)
    if (matchesEtag(c.req.header('if-none-match'), etag)) return respond(c, null, 304)
    setHeader(c, 'Content-Type', type)
    if (!useGzip) return respond(c, plain)
    setHeader(c, 'Content-Encoding', 'gzip')
    return respond(c, gzipped)
  }
}

async function encodeBody(body: string | Buffer) {
  const bytes = Buffer.from(body)
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return {
    plain: new Uint8Array(bytes),
    gzipped: await gzipBody(bytes),
    // Weak, because the gzipped and the plain body share it.
    etag: `W/"${digest}"`,
  }
}

/** Weak comparison (RFC 9110 §13.1.2). Not hono/etag: a 304 takes 82 µs of CPU with it, and 30 µs without. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}
