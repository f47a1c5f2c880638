/** A host of DNS zones, and how records are entered in its panel. */
import type { HostPattern } from './host-pattern.js'

export interface DnsHost {
  readonly id: string
  readonly name: string
  /** Its name servers; `nsRegExps` match those that differ within a label. */
  readonly ns: readonly HostPattern[]
  readonly nsRegExps?: readonly RegExp[]
  /** The ids of other hosts whose name servers it also uses. */
  readonly usesNameServersOf?: readonly string[]
  /** For domains that are for sale or not in use. */
  readonly isParking?: true
  readonly panel: DnsPanel
}

export interface DnsPanel {
  /** The menu path for adding records. */
  readonly menu: string
  /** What to enter in the name field for the zone itself. */
  readonly apexName: '@' | '' | '{fqdn}' | '{fqdn}.'
  /** What to enter for a name below: the part before the zone, or the full name. */
  readonly subdomainName: '{name}' | '{fqdn}' | '{fqdn}.'
  /** Whether the value of a TXT record is entered in quotes. */
  readonly quotes: 'never' | 'always' | 'when-split'
  /** Whether a text of more than 255 octets must be split into strings by hand. */
  readonly split: 'automatic' | 'manual'
  /** Whether all TXT records of a name are entered as one set. */
  readonly hasRecordSets: boolean
  /** Common pitfalls, one sentence each. */
  readonly traps: readonly string[]
  /** Pitfalls of one record type or purpose. */
  readonly trapsOf: Readonly<Partial<Record<TrapSubject, string>>>
}

type TrapSubject = 'TXT' | 'MX' | 'CNAME' | 'spf' | 'dkim' | 'dmarc'

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
  'The panel adds the domain to the name. Do not type the domain, or it appears twice.'

/** A panel with its differences from the default, and a warning if it adds the domain to names. */
export function createPanel(menu: string, differences: Partial<DnsPanel> = {}): DnsPanel {
  const panel = { ...DEFAULT_PANEL, menu, ...differences }
  const { subdomainName, traps } = panel
  return { ...panel, traps: subdomainName === '{name}' ? [DOUBLED, ...traps] : traps }
}
