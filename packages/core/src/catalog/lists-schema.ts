/**
 * The short lists of `data/lists.yaml`. Checked when the data is built; at run time only the types
 * are used.
 */
import { z } from 'zod'
import { isRegExp, screenSchema } from './schema-parts.js'

/** Separated by spaces. */
const names = z
  .string()
  .transform((text): readonly string[] => text.split(' '))
  .pipe(z.array(z.string().regex(/^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/)).readonly())

const controlPanel = z.strictObject({
  name: z.string(),
  selector: z.string(),
  /** Where it shows the key; null if we don't know. */
  screen: screenSchema.nullable().default(null),
})

const consumerMailbox = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** The service's own domains. */
  domains: names,
  mx: names,
  /** The mail servers also receive mail for customers' domains, which use another product. */
  sharesMx: z.literal(true).exactOptional(),
  /** The names that a new mailbox can have, in lower case and without a tag. */
  names: isRegExp.exactOptional(),
  /** Mailboxes are named after account or phone numbers. */
  hasNumericNames: z.literal(true).exactOptional(),
})

/** From the best to the worst. */
export const ADDRESS_VERDICTS = ['ok', 'risky', 'undeliverable'] as const

export const listsSchema = z.strictObject({
  dkimSelectors: z.strictObject({
    /** Of the largest mailbox hosts and common software: few enough to query for every domain. */
    common: names,
    /**
     * For signers that neither the mail servers nor the SPF record reveal: defaults of signing
     * software, and selectors of services whose customers need no include.
     */
    generic: names,
    /** Defaults of signing software, and names that administrators choose: they prove nothing. */
    ofAnyone: names,
  }),
  /** Of web hosts. They choose the selector of a domain's key; its owner can only look it up. */
  controlPanels: z.array(controlPanel),
  /**
   * Services that forward mail from an alias to a real mailbox for as long as its owner likes, so
   * they are not disposable.
   */
  privacyRelays: z.record(z.string(), names),
  freeProviders: z.strictObject({
    /** Open to everyone, but not on the long list. */
    more: names,
    /** On the long list, but only typos of a provider's name. */
    typos: names,
  }),
  disposableDomains: z.strictObject({
    /** Not on the long list. */
    more: names,
    /** On it, and so not on that of free providers; but long-lived providers, or a sender's own. */
    not: names,
  }),
  /** Of services that hold domains for sale. They accept mail that no one reads. */
  parkingMailServers: names,
  typos: z.strictObject({
    /** The mailbox providers whose names are mistyped most often. */
    largeProviders: names,
    /** Typos of `com`. No such top-level domains exist. */
    com: names,
    /** Typos of `com` that exist as top-level domains, with short names in use. */
    likeCom: names,
  }),
  /** What people type to fill a form field. */
  placeholders: z.strictObject({
    /** Only as the whole name: Testa and Foote are people. */
    names,
    keyboardWalks: names,
    /**
     * Real domains. The reserved ones, such as example.com, are looked up like any other name
     * (RFC 6761 §6.5), and people have mailboxes at email.com.
     */
    domains: names,
  }),
  /** Mailbox names of functions rather than people: RFC 2142 and common company names. */
  roleAccounts: z.strictObject({
    /** Not on the long list. */
    more: names,
    /** On it as places and brands, but also names of people. */
    personalNames: names,
    /** On it as places and jobs, but more often the initials of a person. */
    initials: names,
  }),
  /**
   * Services that give mailboxes to everyone at their own domains. Their mail servers and rules
   * differ from those of the same company's product for customers with a domain.
   */
  consumerMailboxes: z.array(consumerMailbox),
  /** Every reason for a verdict on an address, in report order. */
  addressReasons: z.record(
    z.string(),
    z.strictObject({
      verdict: z.enum(ADDRESS_VERDICTS).exclude(['ok']),
      meaning: z.string(),
      reference: z.string(),
    }),
  ),
})

export type Lists = Readonly<z.output<typeof listsSchema>>
