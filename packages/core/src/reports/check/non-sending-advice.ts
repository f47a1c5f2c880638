/** What to do about a finding when it is known, from all checks, that the domain sends nothing. */
import { NO_MAIL_DMARC_RECORD } from '../../checks/dmarc/rewrite-dmarc-record.js'
import { type Finding, proposeTxtRecord } from '../../checks/finding.js'
import type { CheckReports } from './check-reports.js'

type Advice = (finding: Finding, parts: CheckReports) => Pick<Finding, 'fix' | 'record'>

const ADVICE: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['spf.missing', lockSpf],
  ['dmarc.missing', lockDmarc],
  ['mx.implicit', lockMx],
  ['spf.neutral-all', closeSpf],
  ['spf.no-all', closeSpf],
])

/** What suits a domain that names nobody who sends, and to which nobody can answer. */
export function adviseUnreachable(found: Finding, parts: CheckReports): Finding {
  return ADVICE.get(found.id) === closeSpf ? adviseNonSending(found, parts) : found
}

export function adviseNonSending(finding: Finding, parts: CheckReports): Finding {
  const advise = ADVICE.get(finding.id)
  if (!advise) return finding
  const { record: _, ...rest } = finding
  return { ...rest, ...advise(finding, parts) }
}

/** Such a domain has a null MX, or it would not be known to be silent. */
function lockSpf({ fix }: Finding, { spf }: CheckReports): Pick<Finding, 'fix' | 'record'> {
  // What was meant would let somebody send, against what the MX says: the owner has to choose.
  if (spf.issues.some(({ id }) => id === 'spf.near-miss' || id === 'spf.type-99')) return { fix }
  const record = 'v=spf1 -all'
  return {
    fix: `Publish "${spf.domain} TXT ${record}": its null MX says that there is no mail, and nobody should be able to send any. If somebody does send for it, name them in the record instead.`,
    ...proposeTxtRecord(spf.domain, record),
  }
}

/** A soft ending spares senders that were forgotten; here there are none. */
function closeSpf(
  { fix, record }: Finding,
  { spf }: CheckReports,
): Pick<Finding, 'fix' | 'record'> {
  if (!record) return { fix }
  const value = record.value.replace(/~all(?= |$)/, '-all')
  return {
    fix: `End the record of ${spf.domain} in "-all": "${value}". It lets nobody send as it is. If somebody does send for the domain, name them before "-all".`,
    record: { ...record, value },
  }
}

/** Only where nothing is published yet: what is there but broken is to be mended as it was meant. */
function lockDmarc(missing: Finding, { dmarc }: CheckReports): Pick<Finding, 'fix' | 'record'> {
  const isBroken = dmarc.issues.some(({ id }) => BROKEN_DMARC.has(id))
  if (isBroken) return { fix: missing.fix, ...(missing.record && { record: missing.record }) }
  const name = `_dmarc.${dmarc.domain}`
  const isAlias = dmarc.issues.some(
    ({ id, evidence }) => id === 'dmarc.dangling-cname' && evidence[0]?.name === name,
  )
  return {
    fix: `Publish at ${name}${isAlias ? ', in place of the CNAME' : ''}: "${NO_MAIL_DMARC_RECORD}". The domain sends no mail, so none of its own can be lost.`,
    ...proposeTxtRecord(name, NO_MAIL_DMARC_RECORD),
  }
}

const BROKEN_DMARC: ReadonlySet<string> = new Set([
  'dmarc.multiple-records',
  'dmarc.near-miss',
  'dmarc.bad-tags',
])

/** RFC 7505 §3. A domain that may not even answer mail hardly takes any at its web address. */
function lockMx({ fix }: Finding, { mx, dmarc }: CheckReports): Pick<Finding, 'fix' | 'record'> {
  // Unless it is where its own reports go.
  const mailboxes = [...dmarc.rua, ...dmarc.ruf].map(({ uri }) => uri.toLowerCase())
  if (mailboxes.some((uri) => uri.includes(`@${mx.domain}`))) return { fix }
  return {
    fix: `Publish "${mx.domain} MX 0 .", which says that the domain accepts no mail, or, if it does, the MX records of its mailbox provider.`,
    record: { type: 'MX', name: mx.domain, value: '0 .' },
  }
}
