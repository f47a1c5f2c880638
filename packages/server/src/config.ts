/** Reads the environment variables and reports every invalid one, not just the first. */
import { z } from 'zod'
import {
  isPrivateKey,
  parseCoinbaseKey,
  toPaymentBackendOptions,
} from './payments/payment-backend.js'
import { type HexText, hasValidOrNoChecksum } from './payments/payment-terms.js'

const DEFAULT_DOH_URLS = 'https://cloudflare-dns.com/dns-query,https://dns.google/dns-query'
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const PAYMENT_MODES = ['off', 'sandbox', 'live'] as const

/** Never echoed in an error: a key, or a URL that may contain one. */
const SECRETS = new Set([
  'DOH_URLS',
  'FACILITATOR_URL',
  'CDP_API_KEY_SECRET',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'FACILITATOR_PRIVATE_KEY',
  'RECEIPT_PRIVATE_KEY',
  'REDIS_URL',
  'RPC_URL',
])

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number)

const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    )
const trueOrFalse = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')

const webUrl = url(['https:', 'http:'])

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an Ethereum address: 0x and 40 hexadecimal digits')
  .refine((text) => !/^0x0+$/.test(text), 'must not be the zero address')
  .refine(
    hasValidOrNoChecksum,
    'has a typo: its EIP-55 checksum (the mix of upper and lower case) is wrong',
  )
  .transform((text) => text as HexText)

const privateKey = z
  .string()
  .refine(isPrivateKey, 'must be a private key: 0x and 64 hexadecimal digits')
  .transform((text) => text as HexText)

const signature = z
  .string()
  .regex(
    /^0x(?:[0-9a-fA-F]{2}){65,}$/,
    'must be a signature: 0x and 130 or more hexadecimal digits',
  )
  .transform((text) => text as HexText)

const dohUrls = z
  .string()
  .default(DEFAULT_DOH_URLS)
  .transform((list) => list.split(',').map((item) => item.trim().replace(/\{\?dns\}$/, '')))
  .refine(
    (items) => items.every(isDohUrl),
    'must be a comma-separated list of https:// URLs (http:// for loopback only)',
  )
  .transform((items) => items.map((item) => new URL(item)))

const rpcUrls = z
  .string()
  .transform((list) => list.split(',').map((item) => item.trim()))
  .refine(
    (items) => items.every((item) => webUrl.safeParse(item).success),
    'must be a comma-separated list of https:// or http:// URLs',
  )
  .transform((items) => items as [string, ...string[]])

const environment = z.object({
  NODE_ENV: z.string().optional(),
  PORT: wholeNumber(0, 65_535).default(3_000),
  HOST: z.string().default('0.0.0.0'),
  BASE_URL: webUrl.refine(isPlainUrl, 'must have no user, password, query, or fragment').optional(),
  PAYMENTS: z.enum(PAYMENT_MODES, 'must be off, sandbox, or live').optional(),
  PAY_TO_ADDRESS: address.optional(),
  X402_NETWORK: z
    .enum(
      ['eip155:8453', 'eip155:84532'],
      'must be eip155:8453 (Base) or eip155:84532 (Base Sepolia)',
    )
    .default('eip155:8453'),
  USDC_ADDRESS: address.optional(),
  FACILITATOR_URL: webUrl.optional(),
  CDP_API_KEY_ID: z.string().optional(),
  CDP_API_KEY_SECRET: z
    .string()
    .refine(
      (secret) => parseCoinbaseKey(secret) !== null,
      'must be the key exactly as Coinbase shows it: a P-256 key in PEM, or an Ed25519 key in base64',
    )
    .optional(),
  RPC_URL: rpcUrls.optional(),
  FACILITATOR_PRIVATE_KEY: privateKey.optional(),
  ETH_USD: wholeNumber(1, 1_000_000).default(5_000),
  RECEIPT_PRIVATE_KEY: privateKey.optional(),
  OWNERSHIP_PROOF: signature.optional(),
  DOH_URLS: dohUrls,
  DNS_TIMEOUT_MS: wholeNumber(100, 60_000).default(5_000),
  ALLOW_PRIVATE_NAMES: trueOrFalse.default(false),
  REDIS_URL: url(['redis:', 'rediss:'])
    .refine(
      hasReadableParts,
      'must write % in its user and password as %25, and can only have a database number as its path',
    )
    .optional(),
  DATA_DIR: z.string().default('./data'),
  ACCEPT_LEDGER_LOSS: wholeNumber(1, 999_999_999).optional(),
  TRUST_PROXY_HOPS: wholeNumber(0, 10).default(0),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(30),
  MAX_REQUESTS_PER_SECOND: wholeNumber(0, 1_000_000).default(0),
  MAX_CONCURRENT_REPORTS: wholeNumber(1, 100_000).default(100),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl.optional(),
  SITE_URL: webUrl.optional(),
  MONITORING_URL: webUrl.optional(),
  CONTACT_EMAIL: z
    .string()
    .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address')
    .optional(),
  SERVICE_NAME: z.string().max(100, 'must be at most 100 characters').default('Mailgrade'),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
})

/** Rules between variables, checked together with the schema so one start shows all errors. */
const RULES: { name: string; isBroken: (env: Environment) => boolean; message: string }[] = [
  {
    name: 'PAY_TO_ADDRESS',
    isBroken: (env) => env.NODE_ENV === 'production' && !env.PAYMENTS && !env.PAY_TO_ADDRESS,
    message:
      'must be set when NODE_ENV=production; if you don’t sell reports, set PAYMENTS=off instead',
  },
  {
    name: 'PAY_TO_ADDRESS',
    isBroken: (env) => env.PAYMENTS === 'live' && !env.PAY_TO_ADDRESS,
    message: 'must be set when PAYMENTS=live',
  },
  {
    name: 'PAYMENTS',
    isBroken: (env) => env.NODE_ENV === 'production' && env.PAYMENTS === 'sandbox',
    message: 'must not be sandbox when NODE_ENV=production',
  },
  {
    name: 'FACILITATOR_URL',
    isBroken: (env) =>
      paymentMode(env) === 'live' &&
      Boolean(env.PAY_TO_ADDRESS) &&
      !(env.FACILITATOR_URL || env.CDP_API_KEY_ID || env.FACILITATOR_PRIVATE_KEY),
    message:
      'must be set when PAY_TO_ADDRESS is, so that payments can be settled; you can set CDP_API_KEY_ID and CDP_API_KEY_SECRET, or FACILITATOR_PRIVATE_KEY, instead',
  },
  {
    name: 'CDP_API_KEY_SECRET',
    isBroken: (env) => Boolean(env.CDP_API_KEY_ID && !env.CDP_API_KEY_SECRET),
    message: 'must be set together with CDP_API_KEY_ID',
  },
  {
    name: 'CDP_API_KEY_ID',
    isBroken: (env) => Boolean(env.CDP_API_KEY_SECRET && !env.CDP_API_KEY_ID),
    message: 'must be set together with CDP_API_KEY_SECRET',
  },
]

type Environment = Readonly<Record<string, string | undefined>>

export type Config = ReturnType<typeof toConfig>

export interface ConfigFault {
  readonly name: string
  readonly message: string
}

export function loadConfig(
  variables: Environment,
): { kind: 'config'; config: Config } | { kind: 'faults'; faults: ConfigFault[] } {
  // Compose files and shells turn an unset variable into an empty one.
  const env = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(env)
  const faults = [
    ...(parsed.error?.issues ?? []).map((issue) => {
      const name = String(issue.path[0])
      return { name, message: issue.message + describeValue(name, env) }
    }),
    ...RULES.filter((rule) => rule.isBroken(env)).map(({ name, message }) => ({ name, message })),
  ]
  if (faults.length > 0 || !parsed.data) return { kind: 'faults', faults }
  return { kind: 'config', config: toConfig(parsed.data) }
}

function paymentMode<Mode extends string>(env: {
  readonly PAYMENTS?: Mode | undefined
  readonly PAY_TO_ADDRESS?: string | undefined
}): Mode | 'live' | 'sandbox' {
  return env.PAYMENTS ?? (env.PAY_TO_ADDRESS ? 'live' : 'sandbox')
}

function toConfig(env: z.output<typeof environment>) {
  const mode = paymentMode(env)
  return {
    mode,
    port: env.PORT,
    host: env.HOST,
    // As it goes into headers: without letters of other scripts, blanks and quotation marks.
    baseUrl: new URL(env.BASE_URL ?? `http://localhost:${env.PORT}`).href.replace(/\/+$/, ''),
    /** Null unless payments are live. */
    payments: mode === 'live' ? toPaymentBackendOptions(env) : null,
    receiptPrivateKey: env.RECEIPT_PRIVATE_KEY ?? null,
    /** Null unless payments are live. */
    ownershipProof: (mode === 'live' && env.OWNERSHIP_PROOF) || null,
    dohUrls: env.DOH_URLS,
    dnsTimeoutMs: env.DNS_TIMEOUT_MS,
    allowPrivateNames: env.ALLOW_PRIVATE_NAMES,
    redisUrl: env.REDIS_URL ?? null,
    dataDir: env.DATA_DIR,
    acceptedLoss: env.ACCEPT_LEDGER_LOSS ?? null,
    trustProxyHops: env.TRUST_PROXY_HOPS,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    maxRequestsPerSecond: env.MAX_REQUESTS_PER_SECOND,
    maxConcurrentReports: env.MAX_CONCURRENT_REPORTS,
    metricsPort: env.METRICS_PORT ?? null,
    isTraced: env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    service: {
      name: env.SERVICE_NAME,
      siteUrl: env.SITE_URL ?? null,
      monitoringUrl: env.MONITORING_URL ?? null,
      contactEmail: env.CONTACT_EMAIL ?? null,
    },
    logLevel: env.LOG_LEVEL,
  }
}

/** Other URLs are built from it, so nothing may follow its path. */
function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return true
  const { username, password, search, hash } = new URL(text)
  return username + password + search + hash === ''
}

/** As the Redis client reads them, whose own errors do not name the variable. */
function hasReadableParts(text: string): boolean {
  if (!URL.canParse(text)) return true
  const { username, password, pathname } = new URL(text)
  try {
    decodeURIComponent(username)
    decodeURIComponent(password)
  } catch {
    return false
  }
  return /^(\/\d*)?$/.test(pathname)
}

function isDohUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}

function describeValue(name: string, env: Environment): string {
  const value = env[name]
  // Possibly a private key in the wrong variable, or a URL with a password.
  const isSecret = SECRETS.has(name) || /[0-9a-f]{64}|[:/].*@/is.test(value ?? '')
  return value === undefined || isSecret ? '' : ` (got ${JSON.stringify(value.slice(0, 80))})`
}
