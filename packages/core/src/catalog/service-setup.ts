/** The records that customers of a service publish to authorize and sign its mail. */
import type { HostPattern } from './host-pattern.js'
import type { Screen } from './screen.js'

/**
 * Text with placeholders. `{d}` is the domain, `{dd}` the domain with dashes for its dots, and
 * `{d_}` with underscores; only the service knows the others. Tokens are local to the service:
 * planning adds its id, so `{selector}` becomes `{postmark-selector}`. `%{d}` is an SPF macro.
 */
export type RecordTemplate = string

/** What customers do at the service. */
interface SetupSteps {
  readonly screen: Screen | null
  /** How to get the values, one imperative sentence. */
  readonly getValues?: string
  /** What to choose after the records are published, one imperative sentence. */
  readonly turnOn?: string
  /** What the screen shows when it works, as a noun phrase. */
  readonly shownAs?: string
}

export interface SpfTermTemplate {
  /** Usually one, `include:` and a host. */
  readonly terms: readonly RecordTemplate[]
  /** Only for domains with this mail server, where regions differ. */
  readonly forMx?: HostPattern
}

export interface DkimRecordTemplate {
  readonly selector: RecordTemplate
  readonly type: 'CNAME' | 'TXT'
  /** The target of a CNAME without a final dot, or the text of the key record. */
  readonly value: RecordTemplate
  /** The label of the subdomain that it signs for; absent for the domain itself. */
  readonly below?: RecordTemplate
}

interface SetupRecord {
  /** The part of its name before the domain. */
  readonly label: RecordTemplate
  readonly type: 'CNAME' | 'TXT' | 'MX'
  /** The value of an MX record starts with its preference. */
  readonly value: RecordTemplate
  readonly isOptional?: true
}

export interface DkimSetup extends SetupSteps {
  /** Empty when only the service can list them. */
  readonly records: readonly DkimRecordTemplate[]
  /** The administrator chooses the selector, so a successor key can get another one. */
  readonly selectorIsChosen?: true
  /** The service whose hosts hold the keys, if it is another one. */
  readonly keysOf?: string
  /** A token whose value is in the host of the service's SPF include. */
  readonly tokenInInclude?: { readonly token: string; readonly pattern: RegExp }
  /** Selectors of keys that customers published as text, before the service changed to CNAMEs. */
  readonly formerTextSelectors?: readonly string[]
  /** It relays mail that the customer's own server signs with any key. */
  readonly relaysSignatures?: true
  /** The service creates only RSA keys of 1024 bits. */
  readonly hasOnlyShortKeys?: true
}

export interface ServiceSetup {
  /** `10 mx.example.com`, most preferred first; empty when only the service knows them. */
  readonly mx: readonly RecordTemplate[]
  /** The first match applies; empty when only the service knows it, or none is needed. */
  readonly spf: readonly SpfTermTemplate[]
  /** Where to find the placeholder values of `spf`, and the setting without which it has no use. */
  readonly spfSteps?: SetupSteps
  /** Null when the service does not sign, or its setup is unknown. */
  readonly dkim: DkimSetup | null
  /** Records that put MAIL FROM below the customer's domain. */
  readonly returnPath?: readonly SetupRecord[]
  /** Labels that customers may choose for its subdomain instead of the usual one. */
  readonly otherLabels?: readonly string[]
  /** CNAMEs that let the service run MTA-STS for the domain. */
  readonly mtaSts?: readonly { readonly label: string; readonly target: RecordTemplate }[]
}

/** Records that show that a domain uses a service. */
export interface ServiceEvidence {
  /** Targets of CNAMEs below the domain, for bounces or tracked links. */
  readonly cnameTargets?: readonly HostPattern[]
  /** Mail servers of names below the domain. */
  readonly mxHosts?: readonly HostPattern[]
  /** How TXT records at the domain itself begin. */
  readonly texts?: readonly string[]
}

/** The DMARC record that a service publishes for its customers by default. */
export interface DefaultDmarc {
  /** No TXT record can exist beside a CNAME (RFC 1034 §3.6.2). */
  readonly type: 'CNAME' | 'TXT'
  /** Any one of these. */
  readonly values: readonly string[]
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
  return selectors.map((selector, index) => {
    return { selector, type: 'CNAME', value: `{target-${index + 1}}` }
  })
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

/** The same records for a subdomain. */
export function recordsBelow(
  below: RecordTemplate,
  records: readonly DkimRecordTemplate[],
): DkimRecordTemplate[] {
  return records.map((record) => ({ ...record, below }))
}

/** A token that only the service knows. */
const UNKNOWN_TOKEN = /(?<!%)\{(?!d\}|dd\}|d_\})/

/** How to get the values of the records and turn on signing. */
export function describeSetup(name: string, dkim: DkimSetup): string {
  const { records, screen, getValues, turnOn } = dkim
  const hasValuesToCopy =
    records.length === 0 ||
    records.some(({ selector, value }) => UNKNOWN_TOKEN.test(`${selector} ${value}`))
  if (screen === null && getValues === undefined && turnOn === undefined) {
    return hasValuesToCopy
      ? `Copy the values from the DKIM settings of the domain in ${name}.`
      : `There is nothing to copy. Check in the domain settings of ${name} that it has found the records and signs.`
  }
  const open = screen && `In ${name}, open ${screen.path}`
  if (!hasValuesToCopy && getValues === undefined && turnOn === undefined) {
    return `There is nothing to copy. ${open} and check that it has found the records.`
  }
  const copy = hasValuesToCopy ? 'Copy the values.' : undefined
  return [open && `${open}.`, getValues ?? copy, turnOn].filter((sentence) => sentence).join(' ')
}
