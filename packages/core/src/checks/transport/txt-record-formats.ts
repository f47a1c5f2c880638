/** How three small TXT records are written: where each stands, and what makes it useless. */
import type { FindingId } from '../../catalog/findings/findings.js'
import { parseTagList } from '../tag-list.js'

export interface TxtRecordFormat {
  readonly id: FindingId
  readonly title: string
  /** Stands before the domain. */
  readonly label: string
  /** A record that a domain may publish as it is, but for what it leads to. */
  example(domain: string): string
  /** Other TXT records at the name are nobody's business. */
  isCandidate(text: string): boolean
  /** Null when the record is well formed. */
  findProblem(text: string): string | null
}

/** RFC 8461 §3.1: the id tells senders that the policy file has changed. */
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

/** RFC 8460 §3: reports go by mail or by HTTPS. */
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
      : 'rua must list mailto: or https: addresses'),
}

/** The draft's §4.2; an empty `l=` declines to take part, which is a valid thing to say. */
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
  return isFirst ? null : `it must begin with exactly "v=${version};"`
}

function logoProblem(text: string): string | null {
  const logo = tagValue(text, 'l')
  if (logo === undefined) return 'the address of the logo (l=) is missing'
  if (logo !== '' && !isHttps(logo)) return 'the logo (l=) must have an https: address'
  const evidence = tagValue(text, 'a') ?? ''
  return evidence === '' || isHttps(evidence)
    ? null
    : 'the evidence document (a=) must have an https: address'
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
