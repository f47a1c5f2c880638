/** Bodies packed for whoever takes them so. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { HttpEnv } from './http-env.js'

const packed = promisify(gzip)

export async function gzipBody(body: string | Buffer): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await packed(body))
}

export function acceptsGzip(c: Context<HttpEnv>): boolean {
  const supports = ['gzip', 'identity']
  return accepts(c, { header: 'Accept-Encoding', supports, default: 'identity' }) === 'gzip'
}
