/**
 * mailauth, to compare with. The package asks for a newer Node than ours, so it is installed into a
 * folder of its own; the modules that are used here run on ours. To update it, change
 * `mailauth/package.json` and run `npm install --package-lock-only` there.
 */
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../mailauth/', import.meta.url)

/** Results and errors are those of `dns.promises.resolve`. */
export type MailauthResolver = (name: string, type: string) => Promise<string[] | string[][]>

export interface MailauthRecord {
  readonly rr: string
  readonly p?: string
  readonly sp?: string
  /** Whether the record is the organizational domain's. */
  readonly isOrgRecord: boolean
  readonly recordDomain: string
  readonly orgDomain: string | null
}

interface MailauthDmarc {
  readonly status: { readonly result: string }
  readonly policy: string
  readonly sp?: string
  readonly np?: string
}

interface MailauthSpfOptions {
  readonly ip: string
  readonly helo: string
  readonly sender: string
  readonly mta: string
  readonly resolver: MailauthResolver
}

type RecordLookup = (name: string) => Promise<unknown>

/** The part of mailauth that is used. */
export interface Mailauth {
  spf(options: MailauthSpfOptions): Promise<{ readonly status: { readonly result: string } }>
  dmarc(options: {
    readonly headerFrom: readonly string[]
    /** Those that SPF passed for, and that signed. */
    readonly spfDomains?: readonly string[]
    readonly dkimDomains?: readonly string[]
    readonly resolver: MailauthResolver
  }): Promise<MailauthDmarc | false>
  getDmarcRecord(domain: string, resolver: MailauthResolver): Promise<MailauthRecord | false>
  createRecordLookup(resolver: MailauthResolver): RecordLookup
  getOrgDomain(domain: string, lookup: RecordLookup): Promise<string>
  domainExists(domain: string, resolver: MailauthResolver): Promise<boolean>
}

let mailauth: Mailauth | null = null

/** Installs it as locked. */
export function installMailauth(): void {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', args, { cwd: fileURLToPath(FOLDER), stdio: 'inherit' })
}

/** Single modules, because the entry point of the package does need the newer Node. */
export function loadMailauth(): Mailauth {
  if (mailauth) return mailauth
  const require = createRequire(new URL('package.json', FOLDER))
  const load = (module: string) => require(`mailauth/lib/${module}`)
  const getDmarcRecord = load('dmarc/get-dmarc-record.js')
  const { createRecordLookup, getOrgDomain, domainExists } = getDmarcRecord
  const { spf } = load('spf')
  const { dmarc } = load('dmarc')
  mailauth = { spf, dmarc, getDmarcRecord, createRecordLookup, getOrgDomain, domainExists }
  return mailauth
}
