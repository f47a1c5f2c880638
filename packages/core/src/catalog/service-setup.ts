/** The records that customers of a service publish to authorize and sign its mail. */
import type { HostPattern } from './host-pattern.js'

/**
 * Text with placeholders. `{d}` is the domain and `{dd}` the domain with dashes for its dots; only
 * the service knows the others.
 */
export type RecordTemplate = string

export interface SpfTermTemplate {
  /** Usually `include:` and a host. */
  readonly term: RecordTemplate
  /** Only for domains with this mail server, where regions differ. */
  readonly forMx?: HostPattern
}

export interface DkimRecordTemplate {
  readonly selector: RecordTemplate
  readonly type: 'CNAME' | 'TXT'
  /** The target of a CNAME without a final dot, or the text of the key record. */
  readonly value: RecordTemplate
}

export interface DkimSetup {
  readonly records: readonly DkimRecordTemplate[]
  /** Where the customer turns on signing and finds the placeholder values. */
  readonly instructions: string
}

export interface ServiceSetup {
  /** `10 mx.example.com`, most preferred first; empty when only the service knows them. */
  readonly mx: readonly RecordTemplate[]
  /** The first match applies; empty when only the service knows it, or none is needed. */
  readonly spf: readonly SpfTermTemplate[]
  /** Null when the service does not sign, or its setup is unknown. */
  readonly dkim: DkimSetup | null
  /** CNAMEs that let the service run MTA-STS for the domain. */
  readonly mtaSts?: readonly { readonly label: string; readonly target: RecordTemplate }[]
}

/** CNAMEs whose targets contain the selector. */
export function cnameRecords(
  selectors: readonly RecordTemplate[],
  target: (selector: RecordTemplate) => RecordTemplate,
): DkimRecordTemplate[] {
  return selectors.map((selector) => ({ selector, type: 'CNAME', value: target(selector) }))
}

/** CNAMEs by selector, with unrelated targets. */
export function cnameRecordsTo(
  targets: Readonly<Record<RecordTemplate, RecordTemplate>>,
): DkimRecordTemplate[] {
  return Object.entries(targets).map(([selector, value]) => ({ selector, type: 'CNAME', value }))
}

/** CNAMEs whose targets only the service knows. */
export function unknownTargetCnames(...selectors: readonly RecordTemplate[]): DkimRecordTemplate[] {
  return cnameRecords(
    selectors,
    (selector) => `{${selector.replace(/[{}]/g, '').replaceAll('_', '-')}-target}`,
  )
}

/** The format that most services show. */
const RSA_KEY: RecordTemplate = 'v=DKIM1; k=rsa; p={public-key}'

/** The key itself, which only the service knows. */
export function txtKeyRecord(
  selector: RecordTemplate,
  value: RecordTemplate = RSA_KEY,
): DkimRecordTemplate[] {
  return [{ selector, type: 'TXT', value }]
}

/** For a service whose menus we do not know. */
export function copyFromService(service: string): string {
  return `Copy the values from the DKIM settings of the domain in ${service}.`
}

/** For a service where there is nothing to copy. */
export function confirmAtService(service: string): string {
  return `There is nothing to copy. Check in the domain settings of ${service} that it has found the records and signs.`
}
