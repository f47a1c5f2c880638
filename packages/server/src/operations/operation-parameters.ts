/** The parameters that operations take. */
import { MAX_DOMAIN_LENGTH, parseDomain, parseMailAddress } from '@mailgrade/core'
import { z } from 'zod'

const MAX_CHARACTERS = 320

export const domainParameter = z
  .string({ error: textExpected('domain', 'a domain such as example.com') })
  .transform((text, context) => {
    const parsed = parseDomain(text)
    if (parsed.kind === 'domain') return parsed.domain
    context.addIssue(parsed.reason)
    return z.NEVER
  })
  .meta({
    description:
      'A domain, or an email address or URL on that domain. Internationalized names are accepted.',
    maxLength: MAX_CHARACTERS,
  })

export const emailParameter = z
  .string({ error: textExpected('email', 'an address such as ann@example.com') })
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

/** RFC 6376 §3.1, plus underscores, which many selectors in use contain. */
const SELECTOR = /^[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*$/

export const selectorParameter = z
  .string()
  .regex(
    SELECTOR,
    'This is not a DKIM selector. Use labels of 1 to 63 letters, digits, hyphens and underscores, separated by dots, such as google.',
  )
  .transform((text) => text.toLowerCase())
  .optional()
  .meta({
    description:
      'The only selector to look up: the s= tag of a DKIM-Signature header. Without it, common selectors are tried.',
    maxLength: MAX_DOMAIN_LENGTH,
  })

interface KeyName {
  readonly domain: string
  readonly selector?: string | undefined
}

/** For an object with both parameters: together they must make a DNS name that is not too long. */
export function checkSelectorLength({ domain, selector }: KeyName, context: z.RefinementCtx): void {
  const length = `${selector}._domainkey.${domain}`.length
  if (selector === undefined || length <= MAX_DOMAIN_LENGTH) return
  context.addIssue({
    code: 'custom',
    path: ['selector'],
    message: `With this selector the name of the key has ${length} characters; DNS allows ${MAX_DOMAIN_LENGTH}. Check the selector.`,
  })
}

/** For a parameter that is missing or, in JSON, not a string. */
function textExpected(parameter: string, expected: string) {
  return ({ input }: { readonly input?: unknown }): string =>
    input === undefined
      ? `The parameter ${parameter} is missing. Send ${expected}.`
      : `The parameter ${parameter} is not text. Send ${expected}.`
}
