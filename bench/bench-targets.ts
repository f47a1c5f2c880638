/** Targets of the benchmarks, and how many requests each one sends. */

export const RESOLVER_DELAY_MS = 20

export const CHECKS_IN_FLIGHT = 50

export const CHECK_TARGETS = {
  /** Load and resolver share the other core, which limits it. */
  checksPerSecond: 250,
  checksPerCpuSecond: 300,
  cpuMs: 3,
  /** For each mail setup alone. */
  setupCpuMs: 4,
  speedupOverSequential: 5,
  /** 402 and 429 responses per CPU second, as a share of what bare Hono sends. */
  shareOfBareHono: 0.5,
  /** Checks per CPU second with two processes, as a share of one process. */
  twoProcessEfficiency: 0.9,
}

/** A check waits for DNS once per link of its longest query chain; nothing can be faster. */
export const latencyFloorMs = (depth: number) => depth * RESOLVER_DELAY_MS

export const latencyTargetMs = (depth: number) => 1.25 * latencyFloorMs(depth) + 5

/** Requests per round. A benchmark without `sequential` or `concurrent` skips that part. */
export interface RequestCounts {
  readonly sequential?: number
  readonly concurrent?: number
  readonly warmUp: number
}

export const PAYMENTS_IN_FLIGHT = 20

export const PAYMENT_ROUNDS = 7

/** Mailgrade compared with the stock x402 middleware. */
export const PAYMENT_MAX_RATIO = 1

/** A payment settled on a chain takes many times as long as the others. */
export const PAYMENT_REQUEST_COUNTS = {
  chain: { sequential: 15, concurrent: 40, warmUp: 60 },
  instant: { sequential: 50, concurrent: 120, warmUp: 400 },
  unpaid: { concurrent: 400, warmUp: 1_000 },
} satisfies Record<string, RequestCounts>

/** A domain of the check benchmark with an ordinary setup and a long report. */
export const BENCH_DOMAIN = 'workspace-0.test'

export const BENCH_SCORE_PATH = `/v1/score?domain=${BENCH_DOMAIN}`

/** BASE_URL of every server in the payment and MCP benchmarks. */
export const BENCH_BASE_URL = 'https://mailgrade.example'

/**
 * MCP compared with HTTP. A 402 is little work, so the MCP envelope dominates it. On a chain, the
 * waiting dominates, and the rest is noise of a shared machine.
 */
export const MCP_MAX_RATIOS = { check: 1.5, unpaid: 2.5, paid: 1.5, chain: 1.25 }

export const MCP_REQUEST_COUNTS = {
  check: { sequential: 100, concurrent: 200, warmUp: 1_000 },
  unpaid: { sequential: 100, concurrent: 300, warmUp: 1_000 },
  paid: { sequential: 50, concurrent: 100, warmUp: 400 },
  chain: { sequential: 15, warmUp: 40 },
  listing: { concurrent: 100, warmUp: 300 },
} satisfies Record<string, RequestCounts>

/** The free check and the paid score as MCP tool calls. */
export const CHECK_PATH = `/v1/check?domain=${BENCH_DOMAIN}`
export const CHECK_TOOL_CALL = {
  name: 'check_domain_email_security',
  arguments: { domain: BENCH_DOMAIN },
}
export const SCORE_TOOL_CALL = { name: 'email_security_score', arguments: { domain: BENCH_DOMAIN } }

/** Many short rounds: on a shared machine, only close turns are comparable. */
export const COMPARE_STARTS = 6
export const COMPARE_ROUNDS = 5
export const COMPARE_REQUESTS = { checks: 400, short: 4_000, warmUp: 1_600 }
export const COMPARE_TARGETS = { maxCpuRatio: 1.05, minThroughputRatio: 0.95 }

/** Against the commit before a change. */
export const PLAN_TARGETS = { maxRatio: 1.2 }

/** Copies of the eight zones in the scan benchmark: 1,000 domains, 100,000, and 40 one by one. */
export const SCAN_COPIES = { few: 125, many: 12_500, alone: 5 }
/** How many domains are checked at the same time, if a contestant can do that. */
export const SCAN_IN_FLIGHT = 50
export const SCAN_TARGETS = {
  /** Against the fastest of the others, each used as its documentation shows. */
  minSpeedup: 10,
  maxCpuMs: 3,
  /** Memory with 100,000 domains, compared with 1,000. */
  maxMemoryRatio: 1.25,
}

/** Of the command line, CPU time beside `node -e 0`; of the service, milliseconds on an idle machine. */
export const START_TARGETS = {
  versionRatio: 2,
  checkRatio: 5,
  listeningMs: 500,
  firstRequestMs: 50,
}
export const STARTS = 9

/** Milliseconds of an honest purchase beside one hostile address with as much in flight as it may have. */
export const HOSTILE_BUYER_TARGETS = { purchases: 15, hostilePayments: 240, maxMs: 2_000 }

/** CPU time of a free check of a hostile zone, compared with an ordinary one. */
export const HOSTILE_TARGETS = { maxCpuRatio: 5 }
