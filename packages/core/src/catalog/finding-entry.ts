/** A finding as `data/findings/` defines it. At run time only the types are used. */
import { z } from 'zod'
import { SEVERITIES } from './severities.js'

const MECHANISMS = ['spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt', 'bimi'] as const

const yes = z
  .literal('yes')
  .transform(() => true as const)
  .exactOptional()

export const findingFacts = z.strictObject({
  severity: z.enum(SEVERITIES),
  reference: z.string(),
  /** What it is about; an entry names it only where that is not the area of its id. */
  mechanism: z.enum(MECHANISMS),
  /** What it takes from the score at most. */
  points: z.coerce.number().int().positive().exactOptional(),
  /** Forged mail can pass or be delivered even under `p=reject`. */
  opensGap: yes,
  /** The record may belong to another company, which then has to change it. */
  isOftenElsewhere: yes,
  /** Whether a plan has a step for it, where its severity and area do not say so. */
  needsStep: z
    .enum(['yes', 'no'])
    .transform((text) => text === 'yes')
    .exactOptional(),
  /** Nothing is published or changed, so no instructions for a service or DNS host apply. */
  needsNoChange: yes,
  /**
   * No fault of a domain that sends no mail; `covered`: only of one whose parent's enforced policy
   * applies. What is ignored when `non-sending` is ignored when covered, too.
   */
  ignoredWhen: z.enum(['non-sending', 'covered']).exactOptional(),
})

/** Backticks mark code; `fill-words.ts` fills the places for values. */
export const findingWords = z.strictObject({
  title: z.string(),
  meaning: z.string(),
  /** One action each. */
  steps: z.array(z.string()).min(1),
  /** How to see that it worked. */
  check: z.string(),
  note: z.string().exactOptional(),
})
export type FindingWords = z.output<typeof findingWords>

export type FindingFacts = Readonly<z.output<typeof findingFacts>>
export type FindingEntry = Readonly<FindingFacts & FindingWords>
