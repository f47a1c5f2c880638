/** The parameters that operations take. */
import {
  type DomainName,
  INVALID_SELECTOR,
  MAX_DOMAIN_LENGTH,
  parseDomain,
  parseMailAddress,
  parseSelector,
  SELECTOR_PATTERN,
} from '@mailgrade/core'
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

export const selectorParameter = z
  .string()
  .regex(SELECTOR_PATTERN, { error: INVALID_SELECTOR, abort: true })
  .transform((text) => text.toLowerCase())
  .optional()
  .meta({
    description:
      'The only selector to look up: the s= tag of a DKIM-Signature header. Without it, common selectors are tried.',
    maxLength: MAX_DOMAIN_LENGTH,
  })

interface KeyParameters {
  readonly domain: DomainName
  readonly selector?: string | undefined
}

/** For an object with both parameters: together they may make a name that is too long. */
export function checkSelector({ domain, selector }: KeyParameters, context: z.RefinementCtx): void {
  if (selector === undefined) return
  const parsed = parseSelector(selector, domain)
  if (parsed.kind === 'selector') return
  context.addIssue({ code: 'custom', path: ['selector'], message: parsed.reason })
}

/** For a parameter that is missing or, in JSON, not a string. */
function textExpected(parameter: string, expected: string) {
  return ({ input }: { readonly input?: unknown }): string =>
    input === undefined
      ? `The parameter ${parameter} is missing. Send ${expected}.`
      : `The parameter ${parameter} is not text. Send ${expected}.`
}
