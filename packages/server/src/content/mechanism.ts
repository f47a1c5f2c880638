/** A mechanism that protects email, as `content/mechanisms.md` explains it. At run time only the types are used. */
import { z } from 'zod'

/** In texts, backticks mark code. */
const texts = z.array(z.string()).min(1)
/** Each part of a record, and what it means. */
const explainedParts = z.array(z.tuple([z.string().min(1), z.string()])).min(1)
const yes = z
  .literal('yes')
  .transform(() => true as const)
  .exactOptional()

/** The record in the form of a DNS host. */
const recordForm = z.strictObject({
  /** The part of the name before the domain; empty for the domain itself. */
  label: z.string().transform((label) => (label === '@' ? '' : label)),
  /** Which form notes of a DNS host apply. */
  notes: z
    .string()
    .transform((notes) => notes.split(', '))
    .pipe(z.array(z.enum(['TXT', 'MX', 'CNAME', 'spf', 'dkim', 'dmarc', 'long-txt', 'below']))),
  /** It can have more than 255 characters. */
  isLong: yes,
  /** Its value can be a host name. */
  hasTarget: yes,
})
export type RecordForm = Readonly<z.output<typeof recordForm>>

export const mechanism = z.strictObject({
  acronym: z.string(),
  fullName: z.string(),
  /** What it does, for people who don’t know the acronym. */
  everydayName: z.string(),
  summary: z.string(),
  what: texts,
  why: texts,
  example: z.strictObject({
    /** The type and name of the record. */
    intro: z.string(),
    record: z.string(),
    parts: explainedParts,
  }),
  /** What else such a record may contain. */
  otherParts: explainedParts.exactOptional(),
  /** A file that belongs to the record. */
  file: z.strictObject({ title: z.string(), text: z.string() }).exactOptional(),
  /** One action each, ending with how to see that it worked. */
  steps: texts,
  /** How to read the list of mail services. */
  services: z.string().exactOptional(),
  /** Null when it is not entered there. */
  form: recordForm.nullable(),
})
export type Mechanism = Readonly<z.output<typeof mechanism>>
