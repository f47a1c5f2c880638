import type { ServiceInfo } from '../../src/service-info.js'
import { CLOSED_PAYMENT_BACKEND } from './test-app.js'

/** A live service at mailgrade.example. */
export function testServiceInfo(overrides: Partial<ServiceInfo> = {}): ServiceInfo {
  return {
    baseUrl: 'https://mailgrade.example',
    name: 'Mailgrade',
    siteUrl: null,
    monitoringUrl: null,
    contactEmail: null,
    terms: CLOSED_PAYMENT_BACKEND.terms,
    money: 'USDC on Base',
    isSandbox: false,
    receiptSigner: null,
    ownershipProofs: [],
    limit: 30,
    windowSeconds: 60,
    ...overrides,
  }
}
