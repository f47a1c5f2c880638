/** What the schemas of services and DNS hosts have in common. */
import { z } from 'zod'

/** Matches a host and everything below it; a `*` label matches any one label. */
export const hostPattern = z.string().regex(/^((\*|[a-z0-9_][a-z0-9_-]*)\.)+[a-z]+$/)

/** The month in which someone last saw it, such as 2026-11. */
const month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/)

/** A screen of a service or DNS host. */
export const screenSchema = z.strictObject({
  /** Its menu path. */
  path: z.string(),
  /** Null when the path is from general knowledge. */
  confirmed: month.nullable().default(null),
})
export type Screen = Readonly<z.output<typeof screenSchema>>

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).min(1).readonly()
}

export function optionalList<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly().default([])
}

/** Kept as text, because it is stored as JSON. */
export const isRegExp = z.string().refine((text) => {
  try {
    return Boolean(new RegExp(text))
  } catch {
    return false
  }
}, 'not a regular expression')
