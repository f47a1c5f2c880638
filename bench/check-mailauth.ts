/** mailauth's SPF and DMARC over our DNS client, so that only the way of asking differs. */
import { createRequire } from 'node:module'
import type { AbortableDns, DnsAnswer, RecordType } from '@mailgrade/doh/dns'
import type { DNSResolver, spf as spfOfMailauth } from 'mailauth'

type GetDmarcRecord = (domain: string, resolver: DNSResolver) => Promise<{ rr: string } | false>

// Part by part: the package as a whole wants a newer Node, for parts that have nothing to do here.
const require = createRequire(import.meta.url)
const { spf }: { spf: typeof spfOfMailauth } = require('mailauth/lib/spf')
const getDmarcRecord: GetDmarcRecord = require('mailauth/lib/dmarc/get-dmarc-record.js')

export interface MailauthResult {
  readonly spf: string
  /** The record that holds for the domain. */
  readonly dmarc: string | null
}

/** Both at once, which is more than its `authenticate` does. The sender matches no record. */
export async function runMailauth(dns: AbortableDns, domain: string): Promise<MailauthResult> {
  const resolver = resolverOver(dns)
  const sender = { ip: '203.0.113.99', helo: 'mail.invalid', sender: `someone@${domain}` }
  const [verdict, record] = await Promise.all([
    spf({ ...sender, mta: 'mx.invalid', resolver }),
    getDmarcRecord(domain, resolver),
  ])
  return { spf: verdict.status.result, dmarc: record ? record.rr : null }
}

const ABSENT = { nodata: 'ENODATA', nxdomain: 'ENOTFOUND' }

/** In the shapes and errors of `dns.promises.resolve`. */
function resolverOver(dns: AbortableDns): DNSResolver {
  return async (domain, type) => {
    const answer: DnsAnswer = await dns.query(domain, type as RecordType)
    if (answer.kind === 'failed') throw codedError('ESERVFAIL')
    if (answer.kind !== 'records') throw codedError(ABSENT[answer.kind])
    return answer.records.map(inNodesShape) as string[]
  }
}

function inNodesShape(data: unknown): unknown {
  if (typeof data !== 'object' || !data || !('preference' in data)) return data
  const { preference: priority, ...rest } = data
  return { priority, ...rest }
}

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code })
}
