/**
 * A host of DNS zones, as an entry of `data/dns-hosts.yaml`: how records are entered in its panel.
 * Checked when the data is built; at run time only the types are used.
 */
import { z } from 'zod'
import { isRegExp, listOf, optionalList, screenSchema } from './schema-parts.js'

/** A record type or purpose, a text of more than 255 octets, or a name below the zone. */
const FORM_NOTE_SUBJECTS = [
  'TXT',
  'MX',
  'CNAME',
  'spf',
  'dkim',
  'dmarc',
  'long-txt',
  'below',
] as const

const pitfall = z.strictObject({
  /** A record that is published today. */
  record: z.strictObject({
    /** Its name below the zone: empty for the zone itself, `_dmarc`, `*._domainkey`. */
    label: z.string().default(''),
    type: z.enum(['TXT', 'MX', 'CNAME', 'NS']),
    value: isRegExp,
  }),
  text: z.string(),
  /** It goes with the first record of this purpose; otherwise with the first of all. */
  about: z.enum(['spf', 'dmarc']).exactOptional(),
})
export type Pitfall = Readonly<z.output<typeof pitfall>>

const formNote = z.union([
  z.string().transform((text) => ({ text })),
  /** Not only for the first record of the kind. */
  z.strictObject({ text: z.string(), isForEach: z.literal(true) }),
])
export type FormNote = Readonly<z.output<typeof formNote>>

/** The defaults are how most panels work. */
const panel = z.strictObject({
  /** Where records are added. */
  screen: screenSchema,
  /** What to enter in the name field for the zone itself. */
  apexName: z.enum(['@', '', '{fqdn}', '{fqdn}.']).default('@'),
  /** What to enter for a name below: the part before the zone, or the full name. */
  subdomainName: z.enum(['{name}', '{fqdn}', '{fqdn}.']).default('{name}'),
  /** Whether the value of a TXT record is entered in quotes. */
  quotes: z.enum(['never', 'always', 'when-split']).default('never'),
  /** Whether a text of more than 255 octets must be split into strings by hand. */
  split: z.enum(['automatic', 'manual']).default('automatic'),
  /** Whether all TXT records of a name are entered as one set. */
  hasRecordSets: z.boolean().default(false),
  /**
   * Whether it accepts a null MX (RFC 7505): `empty` wants an empty mail server field, `refused` has
   * no way to enter one. Unknown counts as accepted.
   */
  nullMx: z.enum(['accepted', 'refused', 'empty']).default('accepted'),
  /** The most characters of one TXT value; null without a limit that matters. */
  maxTxt: z.int().nullable().default(null),
  /** The shortest TTL that it accepts, in seconds; 0 if unknown. */
  minTtl: z.int().default(0),
  /** Targets need a final dot, or the panel adds the zone. */
  targetDot: z.literal(true).exactOptional(),
  /** What to set in the form, beside name and value, by type or purpose of the new record. */
  formNotes: z.partialRecord(z.enum(FORM_NOTE_SUBJECTS), formNote).default({}),
  /** Where to look if the zone is not in this panel, such as name servers shared with another company. */
  lookElsewhere: z.string().exactOptional(),
  /** Shown only when a published record matches. */
  pitfalls: optionalList(pitfall),
  /** Where the host itself shows the DMARC reports of a zone, at an address that it adds to `rua`. */
  dmarcReports: z.strictObject({ screen: z.string(), address: z.string() }).exactOptional(),
})
export type DnsPanel = Readonly<z.output<typeof panel>>

const host = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    name: z.string(),
    /** Its name servers; `nsRegExps` match those that differ within a label. */
    ns: optionalList(z.string()),
    nsRegExps: listOf(
      isRegExp.regex(/^\^[^A-Z]+\$$/, 'is not anchored, or has capitals'),
    ).exactOptional(),
    /** The ids of other hosts whose name servers it also uses. */
    usesNameServersOf: listOf(z.string()).exactOptional(),
    /** For domains that are for sale or not in use. */
    isParking: z.literal(true).exactOptional(),
    panel,
  })
  .refine(({ ns, nsRegExps }) => ns.length > 0 || nsRegExps, 'has no name servers')
export type DnsHost = Readonly<z.output<typeof host>>

export const dnsHostsSchema = z.strictObject({
  /** For an unknown host. */
  generic: panel,
  hosts: z.array(host),
})
