/** Short constructors for planned records. */
import { type DnsHost, findDnsHost, GENERIC_PANEL } from '../../src/catalog/dns-hosts.js'
import type { PlannedRecord } from '../../src/reports/fix-plan/planned-record.js'
import { type PanelRecord, toPanelRecords } from '../../src/reports/fix-plan/render/panel-record.js'

type Details = Partial<PlannedRecord>

const PLANNED = {
  action: 'create',
  replaces: [],
  otherValues: [],
  service: null,
  why: 'Because.',
  placeholders: [],
  onlyIf: null,
} as const

export const PLAN_ZONE = {
  apex: 'acme.test',
  nameServers: ['ns1.host.test', 'ns2.host.test'],
  delegated: ['_delegated.acme.test'],
}

export function plannedTxt(name: string, value: string, details: Details = {}): PlannedRecord {
  return { ...PLANNED, type: 'TXT', purpose: 'spf', name, value, ...details }
}

export function plannedMx(name: string, value: string, details: Details = {}): PlannedRecord {
  return { ...PLANNED, type: 'MX', purpose: 'mx', name, value, ...details }
}

export function plannedCname(name: string, value: string, details: Details = {}): PlannedRecord {
  return { ...PLANNED, type: 'CNAME', purpose: 'dkim', name, value, ...details }
}

export function panelRecords(...planned: readonly PlannedRecord[]): PanelRecord[] {
  return toPanelRecords(planned, PLAN_ZONE, GENERIC_PANEL)
}

export function dnsHostServing(nameServer: string): DnsHost {
  const host = findDnsHost(nameServer)
  if (!host) throw new Error(`unknown name server ${nameServer}`)
  return host
}
