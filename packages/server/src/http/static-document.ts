/** Documents: the same for everybody, so that callers and caches may keep them. */
import { createHash } from 'node:crypto'
import type { Hono } from 'hono'
import { addGetRoute, type RouteHandler } from './add-route.js'
import { acceptsGzip, gzipBody } from './gzip.js'
import type { HttpEnv } from './http-env.js'
import { memoizeAsync } from './memoize-async.js'
import { addVary, respond, setHeader } from './respond.js'

/** Short enough that an upgrade shows soon; with the ETag, asking again costs next to nothing. */
const MAX_AGE = 'public, max-age=300'

export interface StaticDocument {
  readonly type: string
  /** Made when it is first asked for, and then kept. */
  readonly body: () => string | Buffer | Promise<string | Buffer>
  readonly headers?: Readonly<Record<string, string>>
}

export function addDocumentRoute(app: Hono<HttpEnv>, path: string, document: StaticDocument): void {
  addGetRoute(app, path, documentHandler(document))
}

export function documentHandler({ type, body, headers = {} }: StaticDocument): RouteHandler {
  const copy = memoizeAsync(async () => copyOf(await body()))
  return async function handleDocument(c) {
    const { plain, packed, etag } = await copy()
    for (const [name, value] of Object.entries(headers)) setHeader(c, name, value)
    if (!('Cache-Control' in headers)) setHeader(c, 'Cache-Control', MAX_AGE)
    setHeader(c, 'ETag', etag)
    addVary(c, 'Accept-Encoding')
    if (isKnown(c.req.header('if-none-match'), etag)) return respond(c, null, 304)
    setHeader(c, 'Content-Type', type)
    if (!acceptsGzip(c)) return respond(c, plain)
    setHeader(c, 'Content-Encoding', 'gzip')
    return respond(c, packed)
  }
}

async function copyOf(body: string | Buffer) {
  const octets = Buffer.from(body)
  const digest = createHash('sha256').update(octets).digest('base64url').slice(0, 22)
  return {
    plain: new Uint8Array(octets),
    packed: await gzipBody(octets),
    // Weak: packed or not, it is the same document.
    etag: `W/"${digest}"`,
  }
}

/** By weak comparison (RFC 9110 §13.1.2). */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}
