/** What the customers of a service publish so that its mail is allowed and signed in their name. */
import type { HostPattern } from './host-pattern.js'

/**
 * Text with gaps. `{d}` is the domain and `{dd}` the domain with dashes for its dots; whatever else
 * stands in braces only the service can tell.
 */
export type RecordTemplate = string

export interface SpfTermTemplate {
  /** `include:` and a host, as a rule. */
  readonly term: RecordTemplate
  /** Only for domains with such a mail server, where regions differ; without it for all others. */
  readonly forMx?: HostPattern
}

export interface DkimRecordTemplate {
  readonly selector: RecordTemplate
  readonly type: 'CNAME' | 'TXT'
  /** A CNAME's target without a final dot, or the text of the key record. */
  readonly value: RecordTemplate
}

export interface DkimSetup {
  readonly records: readonly DkimRecordTemplate[]
  /** Where the customer turns signing on, and finds what only the service can tell. */
  readonly instructions: string
}

export interface ServiceSetup {
  /** `10 mx.example.com`, most preferred first; none where only the service can tell. */
  readonly mx: readonly RecordTemplate[]
  /** The first that fits; none where only the service can tell, or where the record needs none. */
  readonly spf: readonly SpfTermTemplate[]
  /** Null where the service does not sign, or nothing is known about how. */
  readonly dkim: DkimSetup | null
  /** CNAMEs by which the service runs MTA-STS for the domain, as `label target`. */
  readonly mtaSts?: readonly { readonly label: string; readonly target: RecordTemplate }[]
}

/** CNAMEs whose targets have the selector in them. */
export function cnameRecords(
  selectors: readonly RecordTemplate[],
  target: (selector: RecordTemplate) => RecordTemplate,
): DkimRecordTemplate[] {
  return selectors.map((selector) => ({ selector, type: 'CNAME', value: target(selector) }))
}

/** CNAMEs by selector, where the targets are named otherwise. */
export function cnameRecordsTo(
  targets: Readonly<Record<RecordTemplate, RecordTemplate>>,
): DkimRecordTemplate[] {
  return Object.entries(targets).map(([selector, value]) => ({ selector, type: 'CNAME', value }))
}

/** CNAMEs whose targets only the service can tell. */
export function unknownTargetCnames(...selectors: readonly RecordTemplate[]): DkimRecordTemplate[] {
  return cnameRecords(
    selectors,
    (selector) => `{${selector.replace(/[{}]/g, '').replaceAll('_', '-')}-target}`,
  )
}

/** A key as most services show it. */
const RSA_KEY: RecordTemplate = 'v=DKIM1; k=rsa; p={public-key}'

/** The key itself, which only the service can tell. */
export function txtKeyRecord(
  selector: RecordTemplate,
  value: RecordTemplate = RSA_KEY,
): DkimRecordTemplate[] {
  return [{ selector, type: 'TXT', value }]
}

/** Where to find what we cannot tell, of a service whose menus we do not know by name. */
export function copyFromService(service: string): string {
  return `Copy the values from the DKIM settings in the domain administration of ${service}.`
}

/** Where to see that signing is on, when there is nothing to copy. */
export function confirmAtService(service: string): string {
  return `Nothing is to be copied; confirm in the domain administration of ${service} that it has found the records and signs.`
}
