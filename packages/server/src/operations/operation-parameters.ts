/** The `domain` parameter of every operation that takes one. */

import { parseDomain } from '@mailgrade/core'
import { z } from 'zod'
import { missingTextError } from './text-error.js'

export const domainParameter = z
  .string({ error: missingTextError('domain', 'a domain such as example.com') })
  .transform((text, context) => {
    const parsed = parseDomain(text)
    if (parsed.kind === 'domain') return parsed.domain
    context.addIssue(parsed.reason)
    return z.NEVER
  })
  .meta({
    description:
      'A domain, or an email address or URL on that domain. Internationalised names are welcome.',
    maxLength: 320,
  })
