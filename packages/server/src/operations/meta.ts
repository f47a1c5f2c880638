import { z } from 'zod'

export const metaSchema = z
  .object({
    checkedAt: z.iso.datetime(),
    resolvers: z.array(z.string()).describe('The resolvers that answered'),
    dnsQueries: z.int().describe('How many DNS questions the result took'),
    durationMs: z.int(),
  })
  .meta({ id: 'Meta' })

export type ReportMeta = z.infer<typeof metaSchema>
