/** The `email` parameter of every operation that takes one. */

import { parseMailAddress } from '@mailgrade/core'
import { z } from 'zod'
import { missingTextError } from './text-error.js'

const MAX_CHARACTERS = 320

export const emailParameter = z
  .string({ error: missingTextError('email', 'an address such as ann@example.com') })
  .refine((text) => [...text].length <= MAX_CHARACTERS, {
    error: `This is longer than ${MAX_CHARACTERS} characters; give one address, such as ann@example.com.`,
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
      'One address and nothing around it, such as ann@example.com. Internationalised addresses are welcome.',
    maxLength: MAX_CHARACTERS,
  })
