/** Who sent a request, and until when they wait. */
import type { Context } from 'hono'
import type { RequestContext } from '../operations/run-operation.js'
import { callerKey } from '../state/caller-key.js'
import type { HttpEnv } from './http-env.js'

export type ReadRequestContext = (c: Context<HttpEnv>) => RequestContext

export type ReadCaller = (c: Context<HttpEnv>) => string

/** `trustProxyHops` is the number of our own proxies in front of the service. */
export function createReadCaller(trustProxyHops: number): ReadCaller {
  return (c) => {
    const peerAddress = c.env.incoming?.socket.remoteAddress
    return callerKey(peerAddress, c.req.header('x-forwarded-for'), trustProxyHops)
  }
}

export function createReadRequestContext(readCaller: ReadCaller): ReadRequestContext {
  return (c) => ({
    requestId: c.get('requestId'),
    // Getters: a short response needs neither, and a signal costs as much as the whole response.
    get caller() {
      return readCaller(c)
    },
    get signal() {
      return c.req.raw.signal
    },
  })
}
