/** The `selector` parameter: the name under which a domain keeps one of its DKIM keys. */

import { MAX_DOMAIN_LENGTH } from '@mailgrade/core'
import { z } from 'zod'

/** RFC 6376 §3.1, and underscores, which the RFC does not have but many selectors do. */
const SELECTOR = /^[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*$/

export const selectorParameter = z
  .string()
  .regex(
    SELECTOR,
    'This is no DKIM selector; give labels of 1 to 63 letters, digits, hyphens and underscores with dots between them, such as google.',
  )
  .transform((text) => text.toLowerCase())
  .optional()
  .meta({
    description:
      'The only selector to ask for: the s= tag of a DKIM-Signature header. Without it, selectors are guessed.',
    maxLength: MAX_DOMAIN_LENGTH,
  })

interface Given {
  readonly domain: string
  readonly selector?: string | undefined
}

/** For the object that has both parameters: the DNS must be able to hold the name they make. */
export function checkSelectorLength({ domain, selector }: Given, context: z.RefinementCtx): void {
  const length = `${selector}._domainkey.${domain}`.length
  if (selector === undefined || length <= MAX_DOMAIN_LENGTH) return
  context.addIssue({
    code: 'custom',
    path: ['selector'],
    message: `With this selector the name of the key has ${length} characters, and the DNS holds ${MAX_DOMAIN_LENGTH}; check the selector.`,
  })
}
