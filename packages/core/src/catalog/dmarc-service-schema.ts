/**
 * A service that hosts the DMARC or SPF record of a domain, as an entry of
 * `data/dmarc-services.yaml`. Checked when the data is built; at run time only the types are used.
 */
import { z } from 'zod'
import { hostPattern, listOf, optionalList, screenSchema } from './schema-parts.js'

/** Where customers change the record; null if we don't know the screen. */
const screen = screenSchema.nullable().default(null)

const service = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    name: z.string(),
    hostedDmarc: z
      .strictObject({
        /** Where the CNAME at `_dmarc` leads. */
        cnameTargets: listOf(hostPattern),
        /** The servers that `_dmarc` is delegated to. */
        nameServers: optionalList(hostPattern),
        screen,
      })
      .exactOptional(),
    hostedSpf: z
      .strictObject({
        /** Hosts that the domain's record names in `include`, `redirect` or `exists`. */
        hosts: listOf(hostPattern),
        screen,
      })
      .exactOptional(),
  })
  .refine(({ hostedDmarc, hostedSpf }) => hostedDmarc ?? hostedSpf, 'hosts nothing')
export type DmarcService = Readonly<z.output<typeof service>>

export const dmarcServicesSchema = z.array(service)
