/** Records of a fix plan, in few words. */
import { type DnsHost, dnsHostOf, GENERIC_PANEL } from '../../src/catalog/dns-hosts.js'
import type { PlannedRecord } from '../../src/reports/fix-plan/planned-record.js'
import { type WrittenRecord, writeRecords } from '../../src/reports/fix-plan/written-record.js'

type Details = Partial<PlannedRecord>

const PLANNED = {
  action: 'create',
  replaces: [],
  beside: [],
  why: 'Because.',
  placeholders: [],
} as const

export const ZONE = { apex: 'acme.test', nameServers: ['ns1.host.test', 'ns2.host.test'] }

export function txt(name: string, value: string, details: Details = {}): PlannedRecord {
  return { ...PLANNED, type: 'TXT', purpose: 'spf', name, value, ...details }
}

export function mx(name: string, value: string, details: Details = {}): PlannedRecord {
  return { ...PLANNED, type: 'MX', purpose: 'mx', name, value, ...details }
}

export function cname(name: string, value: string, details: Details = {}): PlannedRecord {
  return { ...PLANNED, type: 'CNAME', purpose: 'dkim', name, value, ...details }
}

export function written(...planned: readonly PlannedRecord[]): WrittenRecord[] {
  return writeRecords(planned, ZONE, GENERIC_PANEL)
}

/** The host with this name server. */
export function hostOf(nameServer: string): DnsHost {
  const host = dnsHostOf(nameServer)
  if (!host) throw new Error(`nobody runs ${nameServer}`)
  return host
}
