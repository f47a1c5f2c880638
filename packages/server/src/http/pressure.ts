/**
 * What one connection, one caller and all of them together may keep waiting. Node itself parses as
 * many requests as a connection sends, and keeps every answer that nobody reads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The longest body that is read. */
export const MAX_BODY_BYTES = 64 * 1_024

export const PRESSURE_LIMITS = {
  /** Requests without a whole answer. No browser and no proxy sends more ahead. */
  unansweredPerConnection: 20,
  /** As many as a caller may have payments in progress. */
  unansweredPerCaller: 250,
  unanswered: 4_000,
  /** Of the bodies of these requests, which wait in memory until they are complete. */
  bodyBytesPerCaller: 4 * 1024 * 1024,
  bodyBytes: 64 * 1024 * 1024,
  /** Only where callers connect themselves, not through a proxy. */
  connectionsPerCaller: 250,
  /** Of answers that wait for their readers. Above it, the caller with the most loses its oldest. */
  unsentBytes: 64 * 1024 * 1024,
  /** Until an answer must have been read; a purchase that waits everywhere takes over a minute. */
  answerMs: 120_000,
  /** Of one caller, in bursts of ten seconds; 0: any number. */
  requestsPerSecond: 0,
}

export type PressureLimits = typeof PRESSURE_LIMITS

export interface PressureOptions {
  readonly limits: PressureLimits
  /** The address that limits are counted by. */
  readonly readCaller: (request: IncomingMessage) => string
  /** Null behind a proxy: its connections are not those of callers. */
  readonly readPeer: ((socket: Socket) => string) | null
  /** Monotonic milliseconds. */
  readonly now: () => number
}

type Admission = 'admitted' | 'tooManyOfCaller' | 'tooMany' | 'closed'

interface Exchange {
  /** Rejected ones are not counted; a connection has one at most. */
  readonly isAdmitted: boolean
  readonly socket: Socket
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly caller: string
  readonly bodyBytes: number
  readonly since: number
  /** Octets when it was last looked at. */
  unsent: number
}

export function createPressure({ limits, readCaller, readPeer, now }: PressureOptions) {
  const bySocket = new WeakMap<Socket, Set<Exchange>>()
  const unanswered = createCounter()
  const bodies = createCounter()
  const connections = createCounter()
  const rates = createBursts(limits.requestsPerSecond, now)
  /** All exchanges, and those whose answer is complete on our side, each with the oldest first. */
  const exchanges = new Set<Exchange>()
  const sending = new Set<Exchange>()
  let unsentBytes = 0

  function end(exchange: Exchange): void {
    if (!exchanges.delete(exchange)) return
    bySocket.get(exchange.socket)?.delete(exchange)
    if (exchange.isAdmitted) {
      unanswered.remove(exchange.caller, 1)
      bodies.remove(exchange.caller, exchange.bodyBytes)
    }
    if (sending.delete(exchange)) unsentBytes -= exchange.unsent
  }

  /** Node does not close the responses that still wait behind another one. */
  function endAll(socket: Socket): void {
    for (const exchange of bySocket.get(socket) ?? []) end(exchange)
  }

  function exchangesOf(socket: Socket): Set<Exchange> {
    const known = bySocket.get(socket)
    if (known) return known
    const created = new Set<Exchange>()
    bySocket.set(socket, created)
    socket.once('close', () => endAll(socket))
    return created
  }

  function close(socket: Socket): void {
    endAll(socket)
    socket.destroy()
  }

  function send(exchange: Exchange): void {
    if (!exchanges.has(exchange)) return
    exchange.unsent = exchange.response.writableLength
    unsentBytes += exchange.unsent
    sending.add(exchange)
    if (unsentBytes > limits.unsentBytes) giveUpLargest()
  }

  /** A client that keeps reading has less and less left to read, so it is not chosen. */
  function giveUpLargest(): void {
    const byCaller = new Map<string, Exchange[]>()
    unsentBytes = 0
    for (const exchange of sending) {
      exchange.unsent = exchange.response.writableLength
      unsentBytes += exchange.unsent
      byCaller.set(exchange.caller, byCaller.get(exchange.caller) ?? [])
      byCaller.get(exchange.caller)?.push(exchange)
    }
    const candidates = [...byCaller.values()].sort((one, other) => sum(other) - sum(one)).flat()
    for (const { socket } of candidates) {
      if (unsentBytes <= limits.unsentBytes) return
      close(socket)
    }
  }

  function judge(caller: string, bodyBytes: number): 'admitted' | 'tooManyOfCaller' | 'tooMany' {
    const isOver =
      unanswered.count(caller) >= limits.unansweredPerCaller ||
      bodies.count(caller) + bodyBytes > limits.bodyBytesPerCaller
    if (isOver || !rates.allow(caller)) return 'tooManyOfCaller'
    const isFull =
      unanswered.total() >= limits.unanswered || bodies.total() + bodyBytes > limits.bodyBytes
    return isFull ? 'tooMany' : 'admitted'
  }

  return {
    /** Closes a connection above the limit. */
    connected(socket: Socket): void {
      if (!readPeer) return
      const peer = readPeer(socket)
      if (connections.count(peer) >= limits.connectionsPerCaller) {
        socket.destroy()
        return
      }
      connections.add(peer, 1)
      socket.once('close', () => connections.remove(peer, 1))
    },
    /** `closed`: the connection was, and there is nobody to answer. */
    admit(request: IncomingMessage, response: ServerResponse): Admission {
      const { socket } = request
      const ofSocket = exchangesOf(socket)
      if (socket.destroyed || ofSocket.size >= limits.unansweredPerConnection) {
        close(socket)
        return 'closed'
      }
      const caller = readCaller(request)
      const bodyBytes = expectedBodyBytes(request)
      const admission = judge(caller, bodyBytes)
      const isAdmitted = admission === 'admitted'
      // Behind an answer that nobody reads, the rejection would wait and fill memory.
      if (!isAdmitted && ofSocket.size > 0) {
        close(socket)
        return 'closed'
      }
      const parts = { socket, request, response, caller, bodyBytes }
      const exchange = { isAdmitted, ...parts, since: now(), unsent: 0 }
      exchanges.add(exchange)
      ofSocket.add(exchange)
      if (isAdmitted) {
        unanswered.add(caller, 1)
        bodies.add(caller, bodyBytes)
      }
      response.once('prefinish', () => send(exchange))
      response.once('close', () => end(exchange))
      return admission
    },
    /** Whether a request that was read to its end has no whole answer on this connection yet. */
    isAnswering: (socket: Socket) =>
      [...(bySocket.get(socket) ?? [])].some((it) => it.request.complete),
    /** Closes connections whose answers were not read in time. */
    closeStalled(): void {
      for (const { since, socket } of exchanges) {
        if (now() - since < limits.answerMs) return
        close(socket)
      }
    },
  }
}

function sum(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((total, { unsent }) => total + unsent, 0)
}

/** As much as is read of one; its length is unknown if it comes in chunks. */
function expectedBodyBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES
  return Math.min(Number(headers['content-length'] ?? 0), MAX_BODY_BYTES)
}

function createCounter() {
  const counts = new Map<string, number>()
  let total = 0
  function add(key: string, amount: number): void {
    const count = (counts.get(key) ?? 0) + amount
    total += amount
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
  }
  return {
    count: (key: string) => counts.get(key) ?? 0,
    total: () => total,
    add,
    remove: (key: string, amount: number) => add(key, -amount),
  }
}

const BURST_SECONDS = 10
const MAX_CALLERS = 50_000

/** Leaky buckets: each holds ten seconds' worth, and those of callers that pause are forgotten. */
function createBursts(perSecond: number, now: () => number) {
  /** When the bucket is empty again, longest unused first. */
  const emptyAt = new Map<string, number>()
  return {
    allow(caller: string): boolean {
      if (perSecond === 0) return true
      const time = now()
      const empty = Math.max(emptyAt.get(caller) ?? 0, time) + 1_000 / perSecond
      if (empty - time > BURST_SECONDS * 1_000) return false
      emptyAt.delete(caller)
      emptyAt.set(caller, empty)
      const [oldest] = emptyAt.keys()
      if (emptyAt.size > MAX_CALLERS && oldest !== undefined) emptyAt.delete(oldest)
      return true
    },
  }
}
