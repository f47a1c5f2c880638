/** The formats of three small TXT records: their names, and what makes them invalid. */
import type { FindingId } from '../../catalog/findings/findings.js'
import { parseTagList } from '../tag-list.js'

export interface TxtRecordFormat {
  readonly id: FindingId
  readonly title: string
  /** The label before the domain. */
  readonly label: string
  /** A record that a domain could publish. */
  example(domain: string): string
  /** Whether a TXT record at the name is meant to have this format. */
  isCandidate(text: string): boolean
  /** Null when the record is well formed. */
  findProblem(text: string): string | null
}

/** RFC 8461 §3.1: a new id signals that the policy file has changed. */
export const mtaSts: TxtRecordFormat = {
  id: 'transport.mta-sts-invalid',
  title: 'MTA-STS',
  label: '_mta-sts',
  example: () => 'v=STSv1; id=20260101',
  isCandidate: (text) => /^\s*v\s*=\s*STS/i.test(text),
  findProblem: (text) =>
    versionProblem(text, 'STSv1') ??
    (/^[a-z\d]{1,32}$/i.test(tagValue(text, 'id') ?? '')
      ? null
      : 'the id must be 1 to 32 letters and digits'),
}

/** RFC 8460 §3: reports go via mail or HTTPS. */
export const tlsRpt: TxtRecordFormat = {
  id: 'transport.tls-rpt-invalid',
  title: 'TLS-RPT',
  label: '_smtp._tls',
  example: (domain) => `v=TLSRPTv1; rua=mailto:tls@${domain}`,
  isCandidate: (text) => /^\s*v\s*=\s*TLSRPT/i.test(text),
  findProblem: (text) =>
    versionProblem(text, 'TLSRPTv1') ??
    ((tagValue(text, 'rua') ?? '').split(',').every(isReportUri)
      ? null
      : 'rua must list mailto: or https: URIs'),
}

/** The draft's §4.2; an empty `l=` is a valid way to decline BIMI. */
export const bimi: TxtRecordFormat = {
  id: 'transport.bimi-invalid',
  title: 'BIMI',
  label: 'default._bimi',
  example: (domain) => `v=BIMI1; l=https://${domain}/logo.svg; a=https://${domain}/logo.pem`,
  isCandidate: (text) => /^\s*v\s*=\s*BIMI/i.test(text),
  findProblem: (text) => versionProblem(text, 'BIMI1') ?? logoProblem(text),
}

function versionProblem(text: string, version: string): string | null {
  const [first] = parseTagList(text).tags
  const isFirst = first?.name === 'v' && first.value === version && /^v/.test(text)
  return isFirst ? null : `it must start with exactly "v=${version};"`
}

function logoProblem(text: string): string | null {
  const logo = tagValue(text, 'l')
  if (logo === undefined) return 'the URL of the logo (l=) is missing'
  if (logo !== '' && !isHttps(logo)) return 'the logo (l=) must have an https: URL'
  const evidence = tagValue(text, 'a') ?? ''
  return evidence === '' || isHttps(evidence)
    ? null
    : 'the evidence document (a=) must have an https: URL'
}

function tagValue(text: string, name: string): string | undefined {
  return parseTagList(text).tags.find((tag) => tag.name === name)?.value
}

function isReportUri(text: string): boolean {
  const uri = text.trim()
  return /^mailto:[^\s@]+@[^\s@]+$/i.test(uri) || isHttps(uri)
}

function isHttps(text: string): boolean {
  return /^https:\/\/[^\s/]/i.test(text) && URL.canParse(text)
}
