/** Who serves the zone of a domain, and how its panel wants records to be entered. */
import type { HostPattern } from './host-pattern.js'

export interface DnsHost {
  readonly id: string
  readonly name: string
  /** Its name servers; the patterns of `nsForms` are for those that differ within a label. */
  readonly ns: readonly HostPattern[]
  readonly nsRegExps?: readonly RegExp[]
  /** The ids of hosts on whose name servers it keeps zones, too, beside its own. */
  readonly usesNameServersOf?: readonly string[]
  /** The domain is for sale, or at least not in use. */
  readonly isParking?: true
  readonly panel: DnsPanel
}

export interface DnsPanel {
  /** Where records are added, as the menus are called. */
  readonly menu: string
  /** What the name field takes for the zone itself: `@`, nothing, or the whole name. */
  readonly apexName: '@' | '' | '{fqdn}' | '{fqdn}.'
  /** What it takes for a name below: the part before the zone, or the whole name. */
  readonly subdomainName: '{name}' | '{fqdn}' | '{fqdn}.'
  /** Whether the value of a TXT record is entered in quotes. */
  readonly quotes: 'never' | 'always' | 'when-split'
  /** Who cuts a text of more than 255 octets into strings. */
  readonly split: 'automatic' | 'manual'
  /** Whether all TXT records of a name are entered as one set. */
  readonly hasRecordSets: boolean
  /** What people run into, a sentence each. */
  readonly traps: readonly string[]
  /** The same for one type of record, or one purpose. */
  readonly trapsOf: Readonly<Partial<Record<TrapSubject, string>>>
}

export type TrapSubject = 'TXT' | 'MX' | 'CNAME' | 'spf' | 'dkim' | 'dmarc'

/** How most panels work. */
export const DEFAULT_PANEL: Omit<DnsPanel, 'menu'> = {
  apexName: '@',
  subdomainName: '{name}',
  quotes: 'never',
  split: 'automatic',
  hasRecordSets: false,
  traps: [],
  trapsOf: {},
}

const DOUBLED =
  'The panel adds the domain to the name: if you type the whole name, the domain stands there twice.'

/** A panel and what sets it apart; one that takes only the part before the domain warns of the rest. */
export function createPanel(menu: string, differences: Partial<DnsPanel> = {}): DnsPanel {
  const different = { ...DEFAULT_PANEL, menu, ...differences }
  const { subdomainName, traps } = different
  return { ...different, traps: subdomainName === '{name}' ? [DOUBLED, ...traps] : traps }
}
