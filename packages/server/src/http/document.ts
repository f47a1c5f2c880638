/** Documents: the same for everybody, so that callers and caches may keep them. */
import { createHash } from 'node:crypto'
import type { Hono } from 'hono'
import { acceptsGzip, pack } from './gzip.js'
import type { HttpEnv } from './http-env.js'
import { type Handle, mountGet } from './mount.js'
import { once } from './once.js'
import { carry, reply, vary } from './reply.js'

/** Short enough that an upgrade shows soon; with the ETag, asking again costs next to nothing. */
const MAX_AGE = 'public, max-age=300'

export interface Document {
  readonly type: string
  /** Made when it is first asked for, and then kept. */
  readonly body: () => string | Buffer | Promise<string | Buffer>
  readonly headers?: Readonly<Record<string, string>>
}

export function mountDocument(app: Hono<HttpEnv>, path: string, document: Document): void {
  mountGet(app, path, handDocument(document))
}

export function handDocument({ type, body, headers = {} }: Document): Handle {
  const copy = once(async () => copyOf(await body()))
  return async function handleDocument(c) {
    const { plain, packed, etag } = await copy()
    for (const [name, value] of Object.entries(headers)) carry(c, name, value)
    if (!('Cache-Control' in headers)) carry(c, 'Cache-Control', MAX_AGE)
    carry(c, 'ETag', etag)
    vary(c, 'Accept-Encoding')
    if (isKnown(c.req.header('if-none-match'), etag)) return reply(c, null, 304)
    carry(c, 'Content-Type', type)
    if (!acceptsGzip(c)) return reply(c, plain)
    carry(c, 'Content-Encoding', 'gzip')
    return reply(c, packed)
  }
}

async function copyOf(body: string | Buffer) {
  const octets = Buffer.from(body)
  const digest = createHash('sha256').update(octets).digest('base64url').slice(0, 22)
  return {
    plain: new Uint8Array(octets),
    packed: await pack(octets),
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
