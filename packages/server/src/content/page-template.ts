/** Pages as compiled from `content/`: HTML with places for values. At run time only the types are used. */

/** What a page may name: facts of the service, and parts that code renders. Null or false hides words. */
export const VALUE_NAMES = [
  'base',
  'checkCommand',
  'contact',
  'limit',
  'lookupLimit',
  'mcpUrl',
  'money',
  'name',
  'paid',
  'priceLinks',
  'prices',
  'sandbox',
  'windowSeconds',
] as const

export type ValueName = (typeof VALUE_NAMES)[number]

/** A string is HTML. */
export type Template = readonly (string | Place | Choice)[]

interface Place {
  readonly name: ValueName
}

export interface Choice {
  /** Decides which of the two is shown. */
  readonly given: ValueName
  readonly words: Template
  readonly otherwise: Template
}

export interface Section {
  readonly anchor: string | null
  /** Null if it is always shown. */
  readonly given: ValueName | null
  readonly title: Template
  readonly body: Template
}

export interface PageTemplate {
  readonly title: string
  readonly description: string
  readonly intro: Template
  readonly sections: readonly Section[]
  /** After the last section, whichever that is. */
  readonly end: Template
}
