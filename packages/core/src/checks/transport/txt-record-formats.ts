/** The formats of three small TXT records: their names, and what makes them invalid. */
import { truncateForDisplay } from '../format-list.js'
import { parseTagList, trimFolding } from '../tag-list.js'

export interface TxtRecordFormat {
  readonly id: `transport.${'mta-sts' | 'tls-rpt' | 'bimi'}-invalid`
  readonly title: string
  /** The label before the domain. */
  readonly label: string
  /** Whether it starts with the version of this format; others are discarded before counting. */
  hasVersion(text: string): boolean
  /** Whether it was meant to have this version, but a typo stops that. */
  isNearMiss(text: string): boolean
  /** Null when the record is well formed. */
  findProblem(text: string): string | null
}

/** RFC 8461 §3.1: a new id signals that the policy file has changed. */
export const mtaSts: TxtRecordFormat = {
  id: 'transport.mta-sts-invalid',
  title: 'MTA-STS',
  label: '_mta-sts',
  hasVersion: (text) => /^v=STSv1[ \t]*;/.test(text),
  isNearMiss: (text) => /(?:^|[;\s"'])v\s*=\s*["']?STSv?1(?!\d)/i.test(text),
  findProblem: (text) =>
    versionProblem(mtaSts, text, 'v=STSv1;') ??
    fieldListProblem(text, {
      required: 'id',
      unique: ['v', 'id'],
      findProblem: (id) =>
        /^[a-z\d]{1,32}$/i.test(id) ? null : 'the id has to be 1 to 32 letters and digits',
    }),
}

/** RFC 8460 §3: reports go via mail or HTTPS, to the URIs of every `rua` field. */
export const tlsRpt: TxtRecordFormat & {
  example(domain: string): string
  /** Of a well-formed record. */
  reportUris(text: string): string[]
} = {
  id: 'transport.tls-rpt-invalid',
  title: 'TLS-RPT',
  label: '_smtp._tls',
  example: (domain) => `v=TLSRPTv1; rua=mailto:tls@${domain}`,
  hasVersion: (text) => /^v=TLSRPTv1[ \t]*;/.test(text),
  isNearMiss: (text) => /(?:^|[;\s"'])v\s*=\s*["']?TLSRPTv?1(?!\d)/i.test(text),
  findProblem: (text) =>
    versionProblem(tlsRpt, text, 'v=TLSRPTv1;') ??
    fieldListProblem(text, {
      required: 'rua',
      unique: ['v'],
      findProblem: (uris) =>
        splitUris(uris).every(isReportUri) ? null : 'rua has to list mailto: or https: URIs',
    }),
  reportUris: (text) => {
    const fields = text.split(';').map(trimFolding)
    const uris = fields.flatMap((field) =>
      field.startsWith('rua=') ? splitUris(field.slice('rua='.length)) : [],
    )
    return [...new Set(uris)]
  },
}

/** §4.3 of the draft; an empty `l=` is a valid way to decline BIMI. */
export const bimi: TxtRecordFormat = {
  id: 'transport.bimi-invalid',
  title: 'BIMI',
  label: 'default._bimi',
  hasVersion: (text) => /^v[ \t]*=[ \t]*BIMI1[ \t]*(?:;|$)/.test(text),
  isNearMiss: (text) => /(?:^|[;\s"'])v\s*=\s*["']?BIMI1(?!\d)/i.test(text),
  findProblem: (text) =>
    versionProblem(bimi, text, 'v=BIMI1;') ?? tagListProblem(text) ?? logoProblem(text),
}

/** Whether a BIMI record names a logo, rather than declines to have one. */
export function hasLogo(text: string): boolean {
  return (bimiTag(text, 'l') ?? '') !== ''
}

function versionProblem(
  { hasVersion }: TxtRecordFormat,
  text: string,
  start: string,
): string | null {
  // For a record that ends after its version, the finding names what is missing instead.
  if (!hasVersion(text) && `${text};` !== start) return `it has to start with exactly "${start}"`
  return /^[\t -~]*$/.test(text) ? null : 'it contains a character that isn’t printable ASCII'
}

const NOTHING_BETWEEN = 'there’s nothing between two semicolons'

interface Field {
  readonly name: string
  readonly value: string
}

interface FieldRules {
  readonly required: string
  /** Tags that may appear only once. */
  readonly unique: readonly string[]
  /** What is wrong with a value of the required field. */
  findProblem(value: string): string | null
}

/** RFC 8461 §3.1 and RFC 8460 §3 have the same list of fields; only one of them is required. */
function fieldListProblem(
  text: string,
  { required, unique, findProblem }: FieldRules,
): string | null {
  const [, ...rest] = text.split(';')
  const last = rest.at(-1) ?? ''
  const parts = isEmpty(last) ? rest.slice(0, -1) : rest
  if (!isEmpty(last) && /[ \t]$/.test(last)) return 'it ends in white space'
  const fields = parts.map((part) => toField(trimFolding(part)))
  for (const field of fields) {
    if (typeof field === 'string') return field
    const problem = field.name === required ? findProblem(field.value) : extensionProblem(field)
    if (problem !== null) return problem
  }
  const names = fields.flatMap((field) => (typeof field === 'string' ? [] : [field.name]))
  return repeatedProblem(['v', ...names], unique) ?? missingProblem(names, required)
}

/** The field, or what is wrong with it. */
function toField(part: string): Field | string {
  if (part === '') return NOTHING_BETWEEN
  const equalsAt = part.indexOf('=')
  if (equalsAt < 0) return `${quote(part)} has no equals sign`
  const field = { name: part.slice(0, equalsAt), value: part.slice(equalsAt + 1) }
  return /[ \t]$/.test(field.name) || /^[ \t]/.test(field.value)
    ? `there’s white space next to the equals sign in ${quote(part)}`
    : field
}

function extensionProblem({ name, value }: Field): string | null {
  if (!/^[a-z\d][a-z\d_.-]{0,31}$/i.test(name)) return `${quote(name)} isn’t a tag name`
  if (value === '') return `the tag ${name}= has no value`
  return /^[!-:<>-~]+$/.test(value)
    ? null
    : `the value of ${name}= contains a character that isn’t allowed`
}

/** RFC 6376 §3.2: a tag that occurs twice makes the whole list invalid. */
function tagListProblem(text: string): string | null {
  const { tags, invalidParts } = parseTagList(text)
  const [invalid] = invalidParts
  if (invalid !== undefined) return `${quote(invalid)} isn’t a tag=value pair`
  if (text.split(';').slice(0, -1).some(isEmpty)) return NOTHING_BETWEEN
  const names = tags.map(({ name }) => name)
  return repeatedProblem(names)
}

function logoProblem(text: string): string | null {
  const logo = bimiTag(text, 'l')
  if (logo === undefined) return 'the URL of the logo (l=) is missing'
  if (logo !== '' && !isHttps(logo)) return 'the logo (l=) needs an https: URL'
  const evidence = bimiTag(text, 'a') ?? ''
  return evidence === '' || isHttps(evidence)
    ? null
    : 'the evidence document (a=) needs an https: URL'
}

function bimiTag(text: string, name: string): string | undefined {
  return parseTagList(text).tags.find((tag) => tag.name === name)?.value
}

/** The first of the unique tags that occurs twice. */
function repeatedProblem(names: readonly string[], unique = names): string | null {
  const all = new Set(unique)
  const unseen = new Set(unique)
  const repeated = names.find((name) => all.has(name) && !unseen.delete(name))
  return repeated === undefined ? null : `the tag ${repeated}= appears more than once`
}

function missingProblem(names: readonly string[], required: string): string | null {
  return names.includes(required) ? null : `the tag ${required}= is missing`
}

function splitUris(list: string): string[] {
  return list.split(',').map(trimFolding)
}

function isReportUri(uri: string): boolean {
  // RFC 8460 §3: commas and exclamation points must be encoded.
  return /^mailto:[^\s@!]+@[^\s@!]+$/i.test(uri) || (isHttps(uri) && !uri.includes('!'))
}

function isHttps(text: string): boolean {
  return /^https:\/\/[^\s/][!-~]*$/i.test(text) && URL.canParse(text)
}

function isEmpty(text: string): boolean {
  return trimFolding(text) === ''
}

function quote(text: string): string {
  return `“${truncateForDisplay(text)}”`
}
