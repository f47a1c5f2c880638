/** Compares the ledger with the chain: `npm run reconcile -- [--hours 24] [--json]`. */
import { parseArgs } from 'node:util'
import { type Config, loadConfig } from './config.js'
import type { PayeeTransfers } from './payments/facilitator.js'
import { needsAttention, reconcile, toJson, toText } from './payments/reconciliation.js'
import type { LedgerRecord } from './state/ledger.js'

/** How long the ledger keeps delivered payments. */
const MAX_HOURS = 24
/** Our clock and that of the chain may differ. */
const CLOCK_MARGIN_SECONDS = 600
const EXIT_ATTENTION = 1
const EXIT_FAILED = 2

/** Its message is for the operator. */
class CannotReconcile extends Error {}

try {
  await main()
} catch (error) {
  // Messages of libraries may contain a URL with a key.
  const message = error instanceof CannotReconcile ? error.message : errorName(error)
  process.stderr.write(`Cannot reconcile: ${message}\n`)
  process.exitCode = EXIT_FAILED
}

async function main(): Promise<void> {
  const { hours, isJson } = readArguments()
  const config = readConfig()
  const { terms, rpcUrls, facilitator } = config.payments
  const { connectPayeeTransferReader } = await import('./payments/chain/chain-backend.js')
  const readTransfers = connectPayeeTransferReader(terms, rpcUrls)
  const since = Math.floor(Date.now() / 1_000) - hours * 3_600
  const before = await readTransfers(since - CLOCK_MARGIN_SECONDS).catch(rethrowChainError)
  const records = await readLedger(config)
  const after = await readTransfers(before.upTo - CLOCK_MARGIN_SECONDS).catch(rethrowChainError)
  const result = reconcile({
    since,
    before,
    records,
    after,
    recordsTransactions: facilitator.kind === 'in-process',
    now: Date.now(),
  })
  const period = { terms, hours, upTo: before.upTo }
  process.stdout.write(isJson ? toJson(result, period) : toText(result, period))
  if (needsAttention(result)) process.exitCode = EXIT_ATTENTION
}

function readArguments() {
  const options = {
    hours: { type: 'string', default: String(MAX_HOURS) },
    json: { type: 'boolean', default: false },
  } as const
  try {
    const { values } = parseArgs({ options })
    const hours = Number(values.hours)
    if (Number.isInteger(hours) && hours >= 1 && hours <= MAX_HOURS) {
      return { hours, isJson: values.json }
    }
  } catch {}
  throw new CannotReconcile(
    `the only options are --json and --hours, with a whole number from 1 to ${MAX_HOURS}.`,
  )
}

type LiveConfig = Config & { readonly payments: NonNullable<Config['payments']> }

function readConfig(): LiveConfig {
  const loaded = loadConfig(process.env)
  if (loaded.kind === 'faults') {
    const lines = loaded.faults.map(({ name, message }) => `\n  ${name} ${message}`)
    throw new CannotReconcile(`correct these environment variables:${lines.join('')}`)
  }
  const { payments } = loaded.config
  if (payments === null) {
    throw new CannotReconcile(
      'payments aren’t live. Set PAY_TO_ADDRESS and the service’s other environment variables.',
    )
  }
  return { ...loaded.config, payments }
}

async function readLedger({ redisUrl, dataDir }: Config): Promise<LedgerRecord[]> {
  try {
    return await (redisUrl === null ? readFromDisk(dataDir) : readFromStore(redisUrl))
  } catch (error) {
    const isForOperators = /^(JournalUnavailable|StoreUnavailable|LedgerUnavailable)$/.test(
      errorName(error),
    )
    throw isForOperators
      ? new CannotReconcile(`we can’t read the ledger. ${(error as Error).message}`)
      : error
  }
}

async function readFromDisk(dataDir: string): Promise<LedgerRecord[]> {
  const { readJournalRecords } = await import('./state/journal-records.js')
  return readJournalRecords(dataDir)
}

async function readFromStore(url: string): Promise<LedgerRecord[]> {
  const [{ openRedisStore }, { createRedisLedgerStore }, { toLedgerRecord }] = await Promise.all([
    import('./state/redis-store.js'),
    import('./state/redis-ledger-store.js'),
    import('./state/ledger-rules.js'),
  ])
  const store = openRedisStore({ url, now: () => performance.now() })
  await store.firstAttempt
  const entries = await createRedisLedgerStore({ store }).listAll().finally(store.close)
  return entries.map(toLedgerRecord)
}

function rethrowChainError(error: unknown): Promise<PayeeTransfers> {
  throw new CannotReconcile(`we can’t read the chain (${errorName(error)}). Check RPC_URL.`)
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
