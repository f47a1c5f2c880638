/** Whoever a request comes from. */
import type { Context } from 'hono'
import type { RequestContext } from '../operations/run-operation.js'
import { callerKey } from '../state/caller-key.js'
import type { HttpEnv } from './http-env.js'

export type ReadRequestContext = (c: Context<HttpEnv>) => RequestContext

export type ReadCaller = (c: Context<HttpEnv>) => string

/** Behind this many proxies of ours. */
export function createReadCaller(trustProxyHops: number): ReadCaller {
  return (c) => {
    const peerAddress = c.env.incoming?.socket.remoteAddress
    return callerKey(peerAddress, c.req.header('x-forwarded-for'), trustProxyHops)
  }
}

export function createReadRequestContext(readCaller: ReadCaller): ReadRequestContext {
  return (c) => ({
    requestId: c.get('requestId'),
    // By need: a short answer needs neither, and to make a signal costs as much as all the rest of it.
    get caller() {
      return readCaller(c)
    },
    get signal() {
      return c.req.raw.signal
    },
  })
}
