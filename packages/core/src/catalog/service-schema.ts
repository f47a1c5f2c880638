/**
 * An entry of `data/services.yaml`, checked when the data is built, and what code sees of it.
 * At run time only the types are used.
 */
import { z } from 'zod'
import { hostPattern, isRegExp, listOf, optionalList, screenSchema } from './schema-parts.js'

/**
 * Text with placeholders. `{d}` is the domain, `{dd}` the domain with dashes for its dots, and
 * `{d_}` with underscores; only the service knows the others. Tokens are local to the service:
 * planning adds its id, so `{selector}` becomes `{postmark-selector}`. `%{d}` is an SPF macro.
 */
export type RecordTemplate = string
const template = z.string()

/** What customers do at the service. */
const setupSteps = {
  screen: screenSchema.nullable().default(null),
  /** How to get the values, one imperative sentence. */
  getValues: z.string().exactOptional(),
  /** What to choose after the records are published, one imperative sentence. */
  turnOn: z.string().exactOptional(),
  /** What the screen shows when it works, as a noun phrase. */
  shownAs: z.string().exactOptional(),
}

/** `label TYPE value`; the label is the part of the name before the domain. */
const record = z.string().transform((text, context) => {
  const parts = /^(?<label>\S+) (?<type>CNAME|TXT|MX) (?<value>\S.*)$/.exec(text)?.groups
  if (parts === undefined) {
    context.addIssue(`not a record: ${text}`)
    return z.NEVER
  }
  const { label = '', type, value = '' } = parts
  return { label, type: type as 'CNAME' | 'TXT' | 'MX', value }
})

type LabeledRecord = z.output<typeof record>

/** `selector._domainkey`, and the label of the subdomain it signs for unless that is the domain. */
const keyRecord = record.transform(({ label, type, value }, context) => {
  const parts = /^(?<selector>\S+)\._domainkey(?:\.(?<below>\S+))?$/.exec(label)?.groups
  if (parts === undefined || type === 'MX') {
    context.addIssue(`not a DKIM record: ${label} ${type}`)
    return z.NEVER
  }
  const { selector = '', below } = parts
  return { selector, type, value, ...(below !== undefined && { below }) }
})
export type DkimRecordTemplate = Readonly<z.output<typeof keyRecord>>

/** How a customer whose key is too short gets one of 2048 bits. */
const longerKeys = z.strictObject({
  /** Imperative sentences; `{d}` is the domain. */
  how: template,
  /** Where, unless it is the screen for setting up DKIM. */
  screen: screenSchema.nullable().default(null),
  /** The service keeps the key behind CNAMEs of the domain, which stay as they are. */
  sameRecords: z.literal(true).exactOptional(),
})

const dkimSetup = z.strictObject({
  ...setupSteps,
  /** Empty when only the service can list them. */
  records: optionalList(keyRecord),
  /** The administrator chooses the selector, so a successor key can get another one. */
  selectorIsChosen: z.literal(true).exactOptional(),
  /** The service whose hosts hold the keys, if it is another one. */
  keysOf: z.string().exactOptional(),
  /** A token whose value is in the host of the service's SPF include, found by a regular expression. */
  tokenInInclude: z.strictObject({ token: z.string(), pattern: isRegExp }).exactOptional(),
  /** Selectors of keys that customers published as text, before the service changed to CNAMEs. */
  formerTextSelectors: listOf(z.string()).exactOptional(),
  /** It relays mail that the customer's own server signs with any key. */
  relaysSignatures: z.literal(true).exactOptional(),
  /** Without this TXT record, its other customers pass SPF as the domain. */
  lockdown: z.strictObject({ label: z.string(), how: z.string() }).exactOptional(),
  /** The service creates only RSA keys of 1024 bits. */
  hasOnlyShortKeys: z.literal(true).exactOptional(),
  /** For services that created shorter keys once, or still do on request. */
  longerKeys: longerKeys.exactOptional(),
})
export type DkimSetup = Readonly<z.output<typeof dkimSetup>>

interface SpfTermTemplate {
  readonly terms: readonly RecordTemplate[]
  /** Only for domains with this mail server, where regions differ. */
  readonly forMx?: string
}

const setup = z
  .strictObject({
    /** `10 mx.example.com`, most preferred first; none when only the service knows them. */
    mx: optionalList(template),
    /** The terms that authorize it; none when only the service knows them, or they have no use. */
    spf: z.union([template.transform((term) => [term]), z.array(template)]).exactOptional(),
    /** Instead of `spf`, where regions differ: each term with the mail servers it goes with. */
    spfByMx: z.record(template, listOf(z.string())).exactOptional(),
    /** Where to find the placeholder values of `spf`, and the setting without which it has no use. */
    spfSteps: z.strictObject(setupSteps).exactOptional(),
    /** None when the service does not sign, or its setup is unknown. */
    dkim: dkimSetup.nullable().default(null),
    /** Records that put MAIL FROM below the customer's domain. */
    returnPath: z.array(record).exactOptional(),
    /** The same, where customers can do without. */
    optionalReturnPath: z.array(record).exactOptional(),
    /** Labels that customers may choose for its subdomain instead of the usual one. */
    otherLabels: listOf(z.string()).exactOptional(),
    /** CNAMEs that let the service run MTA-STS for the domain. */
    mtaSts: z.array(record).exactOptional(),
  })
  .transform(({ spf, spfByMx, returnPath, optionalReturnPath, mtaSts, ...rest }) => {
    const anywhere: SpfTermTemplate[] = spf ? [{ terms: spf }] : []
    const regional = Object.entries(spfByMx ?? {}).flatMap(([term, servers]) =>
      servers.map((forMx): SpfTermTemplate => ({ terms: [term], forMx })),
    )
    const bounces: (LabeledRecord & { readonly isOptional?: true })[] = [
      ...(returnPath ?? []),
      ...(optionalReturnPath ?? []).map((one) => ({ ...one, isOptional: true as const })),
    ]
    return {
      ...rest,
      /** The first that applies. */
      spf: [...regional, ...anywhere],
      ...(bounces.length > 0 && { returnPath: bounces }),
      ...(mtaSts && { mtaSts: mtaSts.map(({ label, value }) => ({ label, target: value })) }),
    }
  })

/**
 * Whether MAIL FROM can be exactly the customer's domain.
 *
 * SPF checks the domain of MAIL FROM (RFC 7208 §2.4), and DMARC counts a pass only if that domain
 * is aligned with From (RFC 9989). With `never`, the service uses its own bounce domain, or a
 * subdomain with its own record, so its include in the record of the domain has no effect on its
 * mail. With `always`, it needs the include. With `optional`, that depends on the setup.
 */
const returnPathAtRoot = z.enum(['never', 'optional', 'always'])

const service = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  name: z.string().regex(/^[!-~](?:[ -~]*[!-~])?$/),
  /** Its mail servers; none when they belong to another service, through which it is sold. */
  mx: optionalList(hostPattern),
  /** Hosts that an SPF record names to authorize it. */
  spf: optionalList(hostPattern),
  returnPathAtRoot: returnPathAtRoot.default('always'),
  /** The usual DKIM selectors; none when each customer has their own. */
  selectors: optionalList(z.string().regex(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/)),
  /** Matches selectors in which each customer has a different number. */
  selectorPattern: isRegExp.exactOptional(),
  /** The targets of its DKIM CNAMEs; none when customers publish the key itself. */
  dkimTargets: optionalList(hostPattern),
  /** Other records that show that a domain uses it. */
  evidence: z
    .strictObject({
      /** Targets of CNAMEs below the domain, for bounces or tracked links. */
      cnameTargets: listOf(hostPattern).exactOptional(),
      /** Targets of CNAMEs of a website there, which may send mail as the domain or not. */
      webTargets: listOf(hostPattern).exactOptional(),
      /** Mail servers of names below the domain. */
      mxHosts: listOf(hostPattern).exactOptional(),
      /** How TXT records at the domain itself begin. */
      texts: listOf(z.string()).exactOptional(),
      /** Labels below the domain whose TXT records, with any text, verify an account. */
      textLabels: listOf(z.string()).exactOptional(),
      /** The service whose hosts its names below the domain may lead to, and its keys there. */
      namesAt: z
        .strictObject({ service: z.string(), selectors: listOf(z.string()) })
        .exactOptional(),
    })
    .default({}),
  /** The DMARC record that it publishes for its customers by default: any one of these. */
  defaultDmarc: z
    .strictObject({ type: z.enum(['CNAME', 'TXT']), values: listOf(z.string()) })
    .exactOptional(),
  /** Only for forwarders: whether mail can be sent as the domain through it, and how. */
  sending: z.strictObject({ can: z.boolean(), how: z.string().exactOptional() }).exactOptional(),
  /** The day on which the service ends, `2027-03-31`. */
  endsOn: z.iso.date().exactOptional(),
  /** What its customers publish. */
  setup,
})

/** A forwarder sends none of the domain's own mail. */
const KINDS = ['mailbox', 'gateway', 'forwarder', 'sender'] as const

export type MailService = Readonly<z.output<typeof service>> & {
  readonly kind: (typeof KINDS)[number]
}

/** Services by kind. Senders have to say whether MAIL FROM can be the customer's domain. */
export const servicesSchema = z
  .strictObject({
    mailbox: z.array(service),
    gateway: z.array(service),
    forwarder: z.array(service),
    sender: z.array(service.extend({ returnPathAtRoot })),
  })
  .transform((byKind): MailService[] =>
    KINDS.flatMap((kind) => byKind[kind].map((entry) => ({ ...entry, kind }))),
  )
