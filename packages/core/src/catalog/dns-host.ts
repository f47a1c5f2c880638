/** A host of DNS zones, and how records are entered in its panel. */
import type { HostPattern } from './host-pattern.js'
import type { Screen } from './screen.js'

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
  /** Where records are added. */
  readonly screen: Screen
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
  /**
   * Whether it accepts a null MX (RFC 7505): `empty` wants an empty mail server field, `refused` has
   * no way to enter one. Unknown counts as accepted.
   */
  readonly nullMx: 'accepted' | 'refused' | 'empty'
  /** The most characters of one TXT value; null without a limit that matters. */
  readonly maxTxt: number | null
  /** The shortest TTL that it accepts, in seconds; 0 if unknown. */
  readonly minTtl: number
  /** Targets need a final dot, or the panel adds the zone. */
  readonly targetDot?: true
  /** What to set in the form, beside name and value, by type or purpose of the new record. */
  readonly formNotes: Readonly<Partial<Record<FormNoteSubject, string>>>
  /** Where to look if the zone is not in this panel, such as name servers shared with another company. */
  readonly lookElsewhere?: string
  /** Shown only when a published record matches. */
  readonly pitfalls: readonly HostPitfall[]
  /** Where the host itself shows the DMARC reports of a zone, at an address that it adds to `rua`. */
  readonly dmarcReports?: { readonly screen: string; readonly address: string }
}

/** A record type or purpose, a text of more than 255 octets, or a name below the zone. */
type FormNoteSubject = 'TXT' | 'MX' | 'CNAME' | 'spf' | 'dkim' | 'dmarc' | 'long-txt' | 'below'

interface HostPitfall {
  /** A record that is published today. */
  readonly record: {
    /** Its name below the zone: empty for the zone itself, `_dmarc`, `*._domainkey`. */
    readonly label: string
    readonly type: PublishedRecord['type']
    readonly value: RegExp
  }
  readonly text: string
}

/** A record as DNS returns it; an MX as `10 mx.example.com`, names without a final dot. */
export interface PublishedRecord {
  /** Its name below the zone; empty for the zone itself. */
  readonly label: string
  readonly type: 'TXT' | 'MX' | 'CNAME' | 'NS'
  readonly value: string
}

/** How most panels work. */
const DEFAULT_PANEL: Omit<DnsPanel, 'screen'> = {
  apexName: '@',
  subdomainName: '{name}',
  quotes: 'never',
  split: 'automatic',
  hasRecordSets: false,
  nullMx: 'accepted',
  maxTxt: null,
  minTtl: 0,
  formNotes: {},
  pitfalls: [],
}

/** A panel with its differences from the default. */
export function createPanel(
  path: string,
  confirmed: Screen['confirmed'],
  differences: Partial<Omit<DnsPanel, 'screen'>> = {},
): DnsPanel {
  return { ...DEFAULT_PANEL, screen: { path, confirmed }, ...differences }
}

/** The pitfalls of the records that are published, without duplicates. */
export function findPitfalls(
  { pitfalls }: Pick<DnsPanel, 'pitfalls'>,
  published: readonly PublishedRecord[],
): string[] {
  const isPublished = ({ record }: HostPitfall) =>
    published.some(
      ({ label, type, value }) =>
        type === record.type && label.toLowerCase() === record.label && record.value.test(value),
    )
  return [...new Set(pitfalls.filter(isPublished).map(({ text }) => text))]
}
