/** Whoever a request comes from. */
import type { Context } from 'hono'
import type { Visitor } from '../operations/perform.js'
import { callerOf } from '../state/caller.js'
import type { HttpEnv } from './http-env.js'

export type VisitorOf = (c: Context<HttpEnv>) => Visitor

export type CallerOf = (c: Context<HttpEnv>) => string

/** Behind this many proxies of ours. */
export function callerReader(trustProxyHops: number): CallerOf {
  return (c) => {
    const peerAddress = c.env.incoming?.socket.remoteAddress
    return callerOf(peerAddress, c.req.header('x-forwarded-for'), trustProxyHops)
  }
}

export function visitorReader(readCaller: CallerOf): VisitorOf {
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
