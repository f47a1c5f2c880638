import { describe, expect, test } from 'vitest'
import { testConfig, testConfigFaults } from '../test/support/test-config.js'

const PAYEE = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'

describe('empty environment', () => {
  test('runs the sandbox on port 3000 with two public resolvers', () => {
    expect(testConfig({})).toEqual({
      mode: 'sandbox',
      port: 3000,
      host: '0.0.0.0',
      baseUrl: 'http://localhost:3000',
      payments: null,
      receiptPrivateKey: null,
      ownershipProof: null,
      dohUrls: [
        new URL('https://cloudflare-dns.com/dns-query'),
        new URL('https://dns.google/dns-query'),
      ],
      dnsTimeoutMs: 5000,
      allowPrivateNames: false,
      redisUrl: null,
      dataDir: './data',
      acceptedLoss: null,
      trustProxyHops: 0,
      rateLimitPerMinute: 30,
      maxRequestsPerSecond: 0,
      maxConcurrentReports: 100,
      metricsPort: null,
      isTraced: false,
      service: { name: 'Mailgrade', siteUrl: null, monitoringUrl: null, contactEmail: null },
      logLevel: 'info',
    })
  })

  test('enables metrics and traces only when configured', () => {
    const asked = { METRICS_PORT: '9464', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
    expect(testConfig(asked)).toMatchObject({ metricsPort: 9464, isTraced: true })
  })

  test('allows names for private networks only when asked to', () => {
    expect(testConfig({ ALLOW_PRIVATE_NAMES: 'true' }).allowPrivateNames).toBe(true)
    expect(testConfig({ ALLOW_PRIVATE_NAMES: 'false' }).allowPrivateNames).toBe(false)
    expect(testConfigFaults({ ALLOW_PRIVATE_NAMES: '1' })).toEqual([
      { name: 'ALLOW_PRIVATE_NAMES', message: 'must be true or false (got "1")' },
    ])
  })

  test('an ownership proof is a signature, for live sales', () => {
    const proof = `0x${'1b'.repeat(65)}`
    const live = { PAY_TO_ADDRESS: PAYEE, FACILITATOR_URL: 'https://facilitator.example' }
    expect(testConfig({ ...live, OWNERSHIP_PROOF: proof }).ownershipProof).toBe(proof)
    expect(testConfig({ OWNERSHIP_PROOF: proof }).ownershipProof).toBeNull()
    expect(testConfigFaults({ OWNERSHIP_PROOF: '0x1b' })).toEqual([
      {
        name: 'OWNERSHIP_PROOF',
        message: 'must be a signature: 0x and 130 or more hexadecimal digits (got "0x1b")',
      },
    ])
  })

  test('treats an empty variable as unset', () => {
    expect(testConfig({ PORT: '', REDIS_URL: '', PAY_TO_ADDRESS: '' })).toEqual(testConfig({}))
  })
})

describe('PAYMENTS', () => {
  const live = { PAY_TO_ADDRESS: PAYEE, FACILITATOR_URL: 'https://facilitator.example' }

  test.each([
    ['sandbox', {}],
    ['live', live],
    ['live', { ...live, PAYMENTS: 'live', NODE_ENV: 'production' }],
    ['sandbox', { ...live, PAYMENTS: 'sandbox' }],
    ['off', { PAYMENTS: 'off' }],
    ['off', { PAYMENTS: 'off', NODE_ENV: 'production' }],
    ['off', { PAYMENTS: 'off', PAY_TO_ADDRESS: PAYEE }],
  ])('is %s with %j', (mode, env) => {
    const config = testConfig(env)
    expect([config.mode, config.payments !== null]).toEqual([mode, mode === 'live'])
  })

  test.each([
    [{ PAYMENTS: 'yes' }, 'PAYMENTS', 'must be off, sandbox, or live (got "yes")'],
    [{ PAYMENTS: 'live' }, 'PAY_TO_ADDRESS', 'must be set when PAYMENTS=live'],
    [
      { PAYMENTS: 'live', NODE_ENV: 'production' },
      'PAY_TO_ADDRESS',
      'must be set when PAYMENTS=live',
    ],
    [
      { NODE_ENV: 'production' },
      'PAY_TO_ADDRESS',
      'must be set when NODE_ENV=production; if you don’t sell reports, set PAYMENTS=off instead',
    ],
    [
      { ...live, PAYMENTS: 'sandbox', NODE_ENV: 'production' },
      'PAYMENTS',
      'must not be sandbox when NODE_ENV=production',
    ],
    [
      { PAYMENTS: 'live', PAY_TO_ADDRESS: PAYEE },
      'FACILITATOR_URL',
      expect.stringContaining(
        'must be set when PAY_TO_ADDRESS is, so that payments can be settled',
      ),
    ],
  ])('rejects %j', (env, name, message) => {
    expect(testConfigFaults(env)).toEqual([{ name, message }])
  })
})

test('derives BASE_URL from the port and removes its trailing slash', () => {
  expect(testConfig({ PORT: '8080' }).baseUrl).toBe('http://localhost:8080')
  expect(testConfig({ BASE_URL: 'https://mail.example/grade/' }).baseUrl).toBe(
    'https://mail.example/grade',
  )
})

test('allows http resolvers for loopback only', () => {
  const urls =
    'http://127.0.0.1:8053/dns-query, http://[::1]:53/q,https://dns.example/dns-query{?dns}'
  expect(testConfig({ DOH_URLS: urls }).dohUrls.map(String)).toEqual([
    'http://127.0.0.1:8053/dns-query',
    'http://[::1]:53/q',
    'https://dns.example/dns-query',
  ])
  expect(testConfigFaults({ DOH_URLS: 'http://dns.example/dns-query' })).toEqual([
    {
      name: 'DOH_URLS',
      message: 'must be a comma-separated list of https:// URLs (http:// for loopback only)',
    },
  ])
  expect(testConfigFaults({ DOH_URLS: 'http://127.0.0.1.evil.example/q' })).toHaveLength(1)
})

test.each(['redis://redis.example', 'rediss://ann:p%25ss@redis.example:6380/3'])(
  'REDIS_URL may be %s',
  (url) => {
    expect(testConfig({ REDIS_URL: url }).redisUrl).toBe(url)
  },
)

describe('invalid variables', () => {
  test('are all reported at once, with the allowed values', () => {
    const faults = testConfigFaults({
      NODE_ENV: 'production',
      PORT: 'http',
      X402_NETWORK: 'base',
      LOG_LEVEL: 'loud',
      TRUST_PROXY_HOPS: '-1',
      CDP_API_KEY_ID: 'key',
    })
    expect(faults).toEqual([
      { name: 'PORT', message: 'must be a whole number from 0 to 65535 (got "http")' },
      {
        name: 'X402_NETWORK',
        message: 'must be eip155:8453 (Base) or eip155:84532 (Base Sepolia) (got "base")',
      },
      { name: 'TRUST_PROXY_HOPS', message: 'must be a whole number from 0 to 10 (got "-1")' },
      {
        name: 'LOG_LEVEL',
        message: 'must be one of trace, debug, info, warn, error, fatal, silent (got "loud")',
      },
      {
        name: 'PAY_TO_ADDRESS',
        message:
          'must be set when NODE_ENV=production; if you don’t sell reports, set PAYMENTS=off instead',
      },
      { name: 'CDP_API_KEY_SECRET', message: 'must be set together with CDP_API_KEY_ID' },
    ])
  })

  test.each([
    ['BASE_URL', 'ftp://mail.example'],
    ['BASE_URL', 'https://mail.example/?a=1'],
    ['BASE_URL', 'https://ann:pw@mail.example'],
    ['PAY_TO_ADDRESS', '0x0000000000000000000000000000000000000000'],
    ['PAY_TO_ADDRESS', PAYEE.replace('Bc', 'bc')],
    ['USDC_ADDRESS', '0x1234'],
    ['FACILITATOR_URL', 'facilitator.example'],
    ['DNS_TIMEOUT_MS', '99'],
    ['RATE_LIMIT_PER_MINUTE', '0'],
    ['REDIS_URL', 'https://redis.example'],
    ['REDIS_URL', 'redis://:pa%zzss@redis.example'],
    ['REDIS_URL', 'redis://us%er:pass@redis.example'],
    ['REDIS_URL', 'redis://redis.example/payments'],
    ['SITE_URL', 'site'],
    ['MONITORING_URL', 'site'],
    ['CONTACT_EMAIL', 'nobody'],
    ['SERVICE_NAME', 'x'.repeat(101)],
  ])('rejects %s=%s', (name, value) => {
    const beside =
      name === 'PAY_TO_ADDRESS' ? { FACILITATOR_URL: 'https://facilitator.example' } : {}
    expect(testConfigFaults({ ...beside, [name]: value }).map((fault) => fault.name)).toEqual([
      name,
    ])
  })

  test.each([
    ['https://admin:hunter2@mail.example'],
    ['https:hunter2@mail.example'],
    ['ftp://hunter2@mail.example'],
    [`https://hunter2${'2'.repeat(80)}@mail.example`],
    ['https://admin:hun\nter2@mail.example?'],
  ])('are not echoed if they have a password: %j', (value) => {
    const [fault] = testConfigFaults({ BASE_URL: value })
    expect(fault).toMatchObject({ name: 'BASE_URL', message: expect.stringMatching(/^must /) })
    expect(fault?.message).not.toContain('got')
  })

  test('are never echoed if secret', () => {
    const env = {
      FACILITATOR_PRIVATE_KEY: 'hunter2-key',
      RECEIPT_PRIVATE_KEY: 'hunter2-receipts',
      REDIS_URL: 'hunter2-redis',
      RPC_URL: 'hunter2-rpc',
      CDP_API_KEY_SECRET: 'hunter2-cdp',
    }
    const faults = testConfigFaults(env)
    expect(faults.map((fault) => fault.name)).toEqual([
      'CDP_API_KEY_SECRET',
      'RPC_URL',
      'FACILITATOR_PRIVATE_KEY',
      'RECEIPT_PRIVATE_KEY',
      'REDIS_URL',
      'CDP_API_KEY_ID',
    ])
    expect(JSON.stringify(faults)).not.toContain('hunter2')
  })
})
