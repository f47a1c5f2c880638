import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { testConfig, testConfigFaults } from '../../test/support/test-config.js'

const PAYEE = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
const FACILITATOR = 'https://facilitator.example/x402'
const CDP_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  format: 'pem',
  type: 'sec1',
})
const CDP = { CDP_API_KEY_ID: 'key-1', CDP_API_KEY_SECRET: String(CDP_KEY) }
const IN_PROCESS = {
  RPC_URL: 'https://rpc.example/v2/token',
  FACILITATOR_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
}

describe('payment settings', () => {
  const paymentsOf = (env: Record<string, string>) =>
    testConfig({ PAY_TO_ADDRESS: PAYEE, ...env }).payments
  const remote = (url: string, coinbaseKey: object | null = null) => ({
    kind: 'remote',
    url,
    coinbaseKey,
  })
  const coinbaseKey = { id: 'key-1', secret: CDP.CDP_API_KEY_SECRET }

  test('a payee address turns on live mode', () => {
    const env = { PAY_TO_ADDRESS: PAYEE, FACILITATOR_URL: FACILITATOR, NODE_ENV: 'production' }
    expect(testConfig(env)).toMatchObject({
      mode: 'live',
      payments: {
        terms: {
          network: 'eip155:8453',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          payTo: PAYEE,
        },
        facilitator: remote(FACILITATOR),
        rpcUrls: ['https://mainnet.base.org'],
      },
    })
  })

  test('are null without a payee, whatever else is set', () => {
    expect(testConfig({ FACILITATOR_URL: FACILITATOR, ...CDP, ...IN_PROCESS })).toMatchObject({
      mode: 'sandbox',
      payments: null,
    })
  })

  test('use the network’s USDC, or the given token', () => {
    const env = { FACILITATOR_URL: FACILITATOR, X402_NETWORK: 'eip155:84532' }
    expect(paymentsOf(env)?.terms).toEqual({
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      payTo: PAYEE,
    })
    expect(paymentsOf({ ...env, USDC_ADDRESS: PAYEE })?.terms.asset).toBe(PAYEE)
  })

  test('require a facilitator', () => {
    const fault = {
      name: 'FACILITATOR_URL',
      message:
        'must be set when PAY_TO_ADDRESS is, so that payments can be settled; you can set CDP_API_KEY_ID and CDP_API_KEY_SECRET, or FACILITATOR_PRIVATE_KEY, instead',
    }
    expect(testConfigFaults({ PAY_TO_ADDRESS: PAYEE })).toEqual([fault])
    const { RPC_URL } = IN_PROCESS
    expect(testConfigFaults({ PAY_TO_ADDRESS: PAYEE, RPC_URL })).toEqual([fault])
  })

  test('use Coinbase with its keys, or the given facilitator URL', () => {
    expect(paymentsOf(CDP)?.facilitator).toEqual(
      remote('https://api.cdp.coinbase.com/platform/v2/x402', coinbaseKey),
    )
    expect(paymentsOf({ ...CDP, FACILITATOR_URL: FACILITATOR })?.facilitator).toEqual(
      remote(FACILITATOR, coinbaseKey),
    )
  })

  test('use the in-process facilitator if a gas key is set', () => {
    const { RPC_URL: rpcUrl, FACILITATOR_PRIVATE_KEY: privateKey } = IN_PROCESS
    const expected = { facilitator: { kind: 'in-process', privateKey }, rpcUrls: [rpcUrl] }
    expect(paymentsOf(IN_PROCESS)).toMatchObject(expected)
    expect(paymentsOf({ ...IN_PROCESS, ...CDP, FACILITATOR_URL: FACILITATOR })).toMatchObject(
      expected,
    )
  })

  test('use the given chain endpoints, or the public one of the network', () => {
    const env = { FACILITATOR_URL: FACILITATOR }
    expect(paymentsOf({ ...env, X402_NETWORK: 'eip155:84532' })?.rpcUrls).toEqual([
      'https://sepolia.base.org',
    ])
    const RPC_URL = 'https://one.example/key, http://127.0.0.1:8545'
    expect(paymentsOf({ ...env, RPC_URL })).toMatchObject({
      facilitator: remote(FACILITATOR),
      rpcUrls: ['https://one.example/key', 'http://127.0.0.1:8545'],
    })
  })
})

describe('configuration errors', () => {
  test.each([
    ['CDP_API_KEY_ID', 'CDP_API_KEY_SECRET'],
    ['CDP_API_KEY_SECRET', 'CDP_API_KEY_ID'],
  ])('%s requires %s', (given, missing) => {
    const value = { ...CDP, ...IN_PROCESS }[given]
    expect(testConfigFaults({ [given]: String(value), PAY_TO_ADDRESS: PAYEE })).toContainEqual({
      name: missing,
      message: `must be set together with ${given}`,
    })
  })

  test('describe the expected format of a Coinbase secret', () => {
    expect(testConfigFaults({ CDP_API_KEY_ID: 'key-1', CDP_API_KEY_SECRET: 'hunter2' })).toEqual([
      {
        name: 'CDP_API_KEY_SECRET',
        message:
          'must be the key exactly as Coinbase shows it: a P-256 key in PEM, or an Ed25519 key in base64',
      },
    ])
  })
})
