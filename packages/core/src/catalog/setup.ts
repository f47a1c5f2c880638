/** What the customers of a service publish so that its mail is allowed and signed in their name. */
import type { HostPattern } from './host-pattern.js'

/**
 * Text with gaps. `{d}` is the domain and `{dd}` the domain with dashes for its dots; whatever else
 * stands in braces only the service can tell.
 */
export type Template = string

export interface SpfTerm {
  /** `include:` and a host, as a rule. */
  readonly term: Template
  /** Only for domains with such a mail server, where regions differ; without it for all others. */
  readonly forMx?: HostPattern
}

export interface DkimRecord {
  readonly selector: Template
  readonly type: 'CNAME' | 'TXT'
  /** A CNAME's target without a final dot, or the text of the key record. */
  readonly value: Template
}

export interface DkimSetup {
  readonly records: readonly DkimRecord[]
  /** Where the customer turns signing on, and finds what only the service can tell. */
  readonly where: string
}

export interface Setup {
  /** `10 mx.example.com`, most preferred first; none where only the service can tell. */
  readonly mx: readonly Template[]
  /** The first that fits; none where only the service can tell, or where the record needs none. */
  readonly spf: readonly SpfTerm[]
  /** Null where the service does not sign, or nothing is known about how. */
  readonly dkim: DkimSetup | null
  /** CNAMEs by which the service runs MTA-STS for the domain, as `label target`. */
  readonly mtaSts?: readonly { readonly label: string; readonly target: Template }[]
}

/** CNAMEs whose targets have the selector in them. */
export function cnames(
  selectors: readonly Template[],
  target: (selector: Template) => Template,
): DkimRecord[] {
  return selectors.map((selector) => ({ selector, type: 'CNAME', value: target(selector) }))
}

/** CNAMEs by selector, where the targets are named otherwise. */
export function cnamesTo(targets: Readonly<Record<Template, Template>>): DkimRecord[] {
  return Object.entries(targets).map(([selector, value]) => ({ selector, type: 'CNAME', value }))
}

/** CNAMEs whose targets only the service can tell. */
export function untoldCnames(...selectors: readonly Template[]): DkimRecord[] {
  return cnames(
    selectors,
    (selector) => `{${selector.replace(/[{}]/g, '').replaceAll('_', '-')}-target}`,
  )
}

/** A key as most services show it. */
const RSA_KEY: Template = 'v=DKIM1; k=rsa; p={public-key}'

/** The key itself, which only the service can tell. */
export function txtKey(selector: Template, value: Template = RSA_KEY): DkimRecord[] {
  return [{ selector, type: 'TXT', value }]
}

/** Where to find what we cannot tell, of a service whose menus we do not know by name. */
export function shownBy(service: string): string {
  return `Copy the values from the DKIM settings in the domain administration of ${service}.`
}

/** Where to see that signing is on, when there is nothing to copy. */
export function confirmedBy(service: string): string {
  return `Nothing is to be copied; confirm in the domain administration of ${service} that it has found the records and signs.`
}
