/** The parameters that operations take. */
import {
  type DomainName,
  type GivenSpfSender,
  MAX_DOMAIN_LENGTH,
  MAX_GIVEN_SELECTORS,
  type MailAddress,
  parseDomainInput,
  parseMailAddress,
  parseSelector,
  parseSelectors,
  parseServiceIds,
  parseSpfSender,
  type SpfMessage,
  type SpfSender,
} from '@mailgrade/core'
import { z } from 'zod'

const MAX_CHARACTERS = 320

export const domainParameter = z
  .string({ error: expected('domain', 'text', 'a domain such as example.com') })
  .transform((text, context) => {
    // Whether a name for private use may be looked up depends on the caller of `prepare`.
    const parsed = parseDomainInput(text, { allowPrivateNames: true })
    if (parsed.kind === 'domain') return parsed
    context.addIssue(parsed.reason)
    return z.NEVER
  })
  .meta({
    description:
      'A domain, email address, or URL. A leading `www.` is removed. Internationalized names are accepted. Private-use names are refused.',
    maxLength: MAX_CHARACTERS,
  })

/** Query parameters are text; JSON has its own booleans. */
const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
])

export const exactParameter = z
  .preprocess(
    (value) => BOOLEANS.get(value) ?? value,
    z.boolean({ error: 'The parameter exact must be true or false.' }),
  )
  .optional()
  .meta({ description: '`true` keeps a leading `www.`.', examples: [true] })

export const emailParameter: z.ZodType<MailAddress, string> = z
  .string({
    error: expected('email', 'text', 'an email address such as ann@example.com, not a domain'),
  })
  .refine((text) => [...text].length <= MAX_CHARACTERS, {
    error: `This is longer than ${MAX_CHARACTERS} characters. Send one address, such as ann@example.com.`,
    abort: true,
  })
  .transform((text, context) => {
    const parsed = parseMailAddress(text.trim())
    if (parsed.kind === 'address') return parsed
    context.addIssue(parsed.reason)
    return z.NEVER
  })
  .meta({
    description:
      'One bare email address, such as ann@example.com. Internationalized addresses are accepted.',
    maxLength: MAX_CHARACTERS,
  })

/** Only its form; together with the domain, `toDomainRequest` checks it. */
const selectorText = z
  .string({ error: expected('selector', 'text', 'a DKIM selector such as google') })
  .superRefine((text, context) => {
    const parsed = parseSelector(text, null)
    if (parsed.kind === 'refused') context.addIssue(parsed.reason)
  })

/** With `._domainkey.` and a domain behind it. */
const MAX_KEY_NAME_LENGTH = 2 * MAX_DOMAIN_LENGTH

export const onlySelectorParameter = selectorText.optional().meta({
  description:
    'The only selector to look up, from the s= tag of a DKIM-Signature header. Without it, the usual selectors are tried.',
  maxLength: MAX_KEY_NAME_LENGTH,
  examples: ['google'],
})

export const selectorParameter = selectorText.optional().meta({
  description:
    'A DKIM selector to look up in addition to the usual ones, from the s= tag of a DKIM-Signature header.',
  maxLength: MAX_KEY_NAME_LENGTH,
  examples: ['google'],
})

/** Repeated, separated by commas, or both. */
function splitList(value: unknown): unknown {
  const texts = typeof value === 'string' ? [value] : value
  if (!Array.isArray(texts)) return texts
  return texts.flatMap((text) => {
    if (typeof text !== 'string' || !text.includes(',')) return [text]
    const items = text.split(',').map((item) => item.trim())
    return items.filter((item) => item !== '')
  })
}

export const selectorsParameter = z
  .preprocess(
    splitList,
    z
      .array(selectorText.meta({ maxLength: MAX_KEY_NAME_LENGTH }), {
        error: expected('selector', 'a list of strings', 'DKIM selectors such as google'),
      })
      .max(MAX_GIVEN_SELECTORS, {
        error: `There are too many selectors; send at most ${MAX_GIVEN_SELECTORS}.`,
      }),
  )
  .optional()
  .meta({
    description: `Up to ${MAX_GIVEN_SELECTORS} DKIM selectors to look up in addition to the usual ones.`,
    examples: [['google']],
  })

/** The message to evaluate SPF for; together with the domain, `toDomainRequest` checks it. */
export const spfSenderParameters = {
  ip: z
    .string({ error: expected('ip', 'text', 'an IP address such as 192.0.2.1') })
    .optional()
    .meta({
      description:
        'The IPv4 or IPv6 address of a sending server, to see whether its mail passes SPF.',
      maxLength: MAX_CHARACTERS,
      examples: ['192.0.2.1'],
    }),
  sender: z
    .string({ error: expected('sender', 'text', 'an address such as ann@example.com') })
    .optional()
    .meta({
      description:
        'With `ip`: the MAIL FROM address or its domain, for macros in the record. The record evaluated is always the one for `domain`. Default: `postmaster@<domain>`.',
      maxLength: MAX_CHARACTERS,
      examples: ['ann@example.com'],
    }),
  helo: z
    .string({ error: expected('helo', 'text', 'a host name such as mail.example.com') })
    .optional()
    .meta({
      description: 'With `ip`: the name that the server gives in HELO or EHLO.',
      maxLength: MAX_CHARACTERS,
      examples: ['mail.example.com'],
    }),
}

/** The email address that reports should go to. */
export const reportAddressParameter = z
  .string({ error: expected('rua', 'text', 'an email address such as dmarc@example.com') })
  .transform((text, context) => {
    const parsed = parseMailAddress(text.trim().replace(/^mailto:/i, ''))
    if (parsed.kind === 'address' && parsed.domain !== null) return parsed.normalized
    context.addIssue(
      parsed.kind === 'address'
        ? 'Reports can’t be sent to an IP address. Send an email address such as dmarc@example.com.'
        : parsed.reason,
    )
    return z.NEVER
  })
  .optional()
  .meta({
    description: 'The email address that reports should go to.',
    maxLength: MAX_CHARACTERS,
    examples: ['dmarc@example.com'],
  })

/** Sorted, because their order changes nothing. */
export function servicesParameter(
  name: 'uses' | 'unused',
  description: string,
  example: readonly string[],
) {
  const error = expected(name, 'a list of strings', 'ids of services such as google,mailchimp')
  return z
    .preprocess(splitList, z.array(z.string({ error }), { error }))
    .transform((texts, context) => {
      const parsed = parseServiceIds(texts.join(','))
      if (parsed.kind === 'ids') return parsed.ids.length > 0 ? parsed.ids.toSorted() : undefined
      context.addIssue(parsed.reason)
      return z.NEVER
    })
    .optional()
    .meta({ description, examples: [example] })
}

/** What is asked about a domain. Members that were not given are undefined. */
export interface DomainRequest {
  readonly domain: DomainName
  /** The name as given, if `domain` is that name without `www.`. */
  readonly requested: DomainName | undefined
  readonly selectors: readonly string[] | undefined
  /** The sender to evaluate SPF for. */
  readonly spfSender: SpfSender | undefined
  /** The email address that reports should go to. */
  readonly rua?: string | undefined
}

interface DomainParameters extends GivenSpfSender {
  readonly domain: z.output<typeof domainParameter>
  readonly exact?: boolean | undefined
  readonly selector?: string | readonly string[] | undefined
}

const NOTHING_GIVEN = { selectors: undefined, spfSender: undefined }

/** The same for the same question, however the caller wrote it. */
export function toDomainRequest(
  { domain: parsed, exact, selector = [], ip, sender, helo }: DomainParameters,
  context: z.RefinementCtx,
): DomainRequest {
  const requested = parsed.requested ?? undefined
  const domain = exact ? (requested ?? parsed.domain) : parsed.domain
  if (selector.length === 0 && ip === undefined && sender === undefined && helo === undefined) {
    return { domain, requested: exact ? undefined : requested, ...NOTHING_GIVEN }
  }
  const selectors = parseSelectors([selector].flat(), domain)
  if (selectors.kind === 'refused') {
    context.addIssue({ code: 'custom', path: ['selector'], message: selectors.reason })
    return z.NEVER
  }
  const spfSender = parseSpfSender({ ip, sender, helo }, domain)
  if (spfSender.kind === 'refused') {
    const { parameter, reason } = spfSender
    context.addIssue({ code: 'custom', path: [parameter], message: reason })
    return z.NEVER
  }
  return {
    domain,
    requested: exact ? undefined : requested,
    selectors: selectors.selectors.length > 0 ? selectors.selectors.toSorted() : undefined,
    spfSender: spfSender.sender ?? undefined,
  }
}

/** For a parameter that is missing or, in JSON, of another type. */
function expected(parameter: string, type: string, example: string) {
  return ({ input }: { readonly input?: unknown }): string =>
    input === undefined
      ? `The parameter ${parameter} is missing. Send ${example}.`
      : `The parameter ${parameter} isn’t ${type}. Send ${example}.`
}

/** The sender as a message that arrives now. */
export function toSpfMessage(sender: SpfSender | undefined): SpfMessage | null {
  return sender ? { ...sender, timestamp: Math.floor(Date.now() / 1_000) } : null
}
