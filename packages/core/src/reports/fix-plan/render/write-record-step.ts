/** Writes the step that creates, replaces or deletes one record. */

import { type DnsPanel, GENERIC_PANEL } from '../../../catalog/dns-hosts.js'
import { hasPlaceholder } from '../../../catalog/record-template.js'
import { formatList, truncateForDisplay } from '../../../checks/format-list.js'
import { escapeOctets, MAX_STRING_OCTETS, parseMxValue, quoteStrings } from '../../record-data.js'
import { expectedTextLength } from '../planned-record.js'
import {
  type PanelRecord,
  recordsInSet,
  removedValues,
  textForm,
  valuesAfterStep,
} from './panel-record.js'
import { withFinalDot } from './terraform-provider.js'

const ONLY_ONE: Partial<Record<PanelRecord['purpose'], string>> = {
  spf: 'Keep only one, because two SPF records at one name are an error (RFC 7208 §4.5).',
  dmarc:
    'Keep only one, because receivers ignore all DMARC records if there’s more than one (RFC 9989 §4.10).',
}

export function writeRecordStep(
  record: PanelRecord,
  records: readonly PanelRecord[],
  context: PanelContext,
): string {
  if (record.isInOtherZone) return otherZoneStep(record)
  // A CNAME is always alone at its name (RFC 1034 §3.6.2).
  const isSet = context.panel.hasRecordSets && record.type !== 'CNAME'
  return isSet ? setStep(record, records, context) : singleRecordStep(record, context)
}

function singleRecordStep(record: PanelRecord, context: PanelContext): string {
  const { type } = record
  const [old, ...others] = removedValues(record)
  if (old === undefined) return createStep(record, `${type} record`, context)
  const existing = `the ${type} record ${describeExistingName(record)} with the value ${asCodeList([old])}`
  if (record.action === 'delete') return `Delete ${existing}.`
  if (record.replaces.includes(record.value)) {
    const rest = record.replaces.filter((value) => value !== record.value)
    return `Of the ${type} records ${describeExistingName(record)}, keep ${asCodeList([record.value])} and delete ${asCodeList(rest)}.`
  }
  const more =
    others.length > 0
      ? ` Delete the ${others.length > 1 ? 'others' : 'other'}: ${asCodeList(others)}.`
      : ''
  return `Find ${existing}, and enter this instead: ${dataToEnter(record, context)}.${more}${onlyOne(record)}`
}

function setStep(
  record: PanelRecord,
  records: readonly PanelRecord[],
  context: PanelContext,
): string {
  const removed = removedValues(record)
  const kept = valuesAfterStep(recordsInSet(record, records), record.order).filter(
    (value) => value !== record.value,
  )
  const set = `${record.type} record set`
  if (removed.length === 0 && kept.length === 0) return createStep(record, set, context)
  const data = dataToEnter(record, context)
  if (removed.length === 0) {
    return `In the ${set} ${describeExistingName(record)}, keep ${asCodeList(kept)} and add: ${data}. Don’t create a second set with this name.`
  }
  const rest = kept.length > 0 ? ` Keep ${asCodeList(kept)} in it.` : ''
  if (record.action !== 'delete') {
    return `In the ${set} ${describeExistingName(record)}, replace ${asCodeList(removed)} with: ${data}.${rest}${onlyOne(record)}`
  }
  return kept.length > 0
    ? `From the ${set} ${describeExistingName(record)}, remove ${asCodeList(removed)}.${rest}`
    : `Delete the ${set} ${describeExistingName(record)} with the value ${asCodeList(removed)}.`
}

function createStep(record: PanelRecord, what: string, context: PanelContext): string {
  const fields = [nameToEnter(record), dataToEnter(record, context), `TTL ${record.ttl}`]
  return `Add ${withArticle(what)}: ${fields.join(', ')}.`
}

function withArticle(what: string): string {
  return `${what.startsWith('MX') ? 'an' : 'a'} ${what}`
}

function onlyOne({ purpose, replaces }: PanelRecord): string {
  const reason = replaces.length > 1 ? ONLY_ONE[purpose] : undefined
  return reason ? ` ${reason}` : ''
}

function otherZoneStep(record: PanelRecord): string {
  const { action, type, name, value } = record
  const request = `${asCode(name)} is in DNS that someone else runs. Ask them to`
  if (action === 'delete') {
    return `${request} delete the ${type} record with the value ${asCodeList([value])}.`
  }
  // Their panel is not known.
  const plain: PanelContext = { panel: GENERIC_PANEL, isKnown: true }
  const replaced = record.replaces.length > 0 ? ` in place of ${asCodeList(record.replaces)}` : ''
  return `${request} publish ${withArticle(`${type} record`)} with this name${replaced}: ${dataToEnter(record, plain)}.`
}

/** The panel to enter records in; a generic one for an unknown host. */
export interface PanelContext {
  readonly panel: DnsPanel
  readonly isKnown: boolean
}

/** For values to copy. */
export function asCode(text: string): string {
  return `\`${text.replace(CONTROL, (character) => escapeOctets(character, 10))}\``
}

/**
 * Control characters are shown as `\\010`, as in zone files, so a step stays on one line. So are
 * octets that are not UTF-8.
 */
const CONTROL = /[\p{Cc}\udc80-\udcff]/gu

/** For values to recognize, not to copy. */
function asCodeList(values: readonly string[]): string {
  // Truncated before quoting, so the closing quote stays, and without one inside.
  return formatList(values, (value) => asCode(truncateForDisplay(value).replaceAll('`', "'")))
}

/** For a new record. */
function nameToEnter({ host }: Pick<PanelRecord, 'host'>): string {
  return host === '' ? 'leave the name field empty' : `name ${asCode(host)}`
}

/** For an existing record. */
function describeExistingName({ host }: Pick<PanelRecord, 'host'>): string {
  return host === '' ? 'with an empty name (the domain itself)' : `named ${asCode(host)}`
}

/** The fields after the name. */
function dataToEnter({ type, value }: Pick<PanelRecord, 'type' | 'value'>, context: PanelContext) {
  if (type === 'TXT') return textToEnter(value, context)
  const { nullMx, targetDot } = context.panel
  const toTarget = (name: string) => asCode(targetDot ? withFinalDot(name) : name)
  if (type === 'CNAME') return `target ${toTarget(value)}`
  const { preference, exchange } = parseMxValue(value)
  const priority = `priority ${asCode(`${preference}`)}`
  // RFC 7505 §3: a null MX.
  if (exchange !== '.') return `${priority}, mail server ${toTarget(exchange)}`
  return nullMx === 'empty'
    ? `${priority}, leave the mail server field empty`
    : `${priority}, mail server ${asCode(exchange)} (a single dot)`
}

const LIMIT = 'because a string can hold at most 255 bytes'

function textToEnter(text: string, { panel, isKnown }: PanelContext): string {
  const { chunks, isSplit, isQuoted, quoted } = textForm(text, panel)
  // A key has still to be filled in.
  const isLongWhenFilled =
    hasPlaceholder(text) && expectedTextLength({ value: text }) > MAX_STRING_OCTETS
  const isCut = panel.split === 'manual' && !isSplit && isLongWhenFilled
  if (isCut) {
    const form = isQuoted ? `${asCode(quoted)} with the quotes` : asCode(text)
    return `value ${form}, split into strings of at most 255 characters, each in its own quotes`
  }
  if (isQuoted) {
    const value = `value ${asCode(quoted)} with the quotes`
    return isSplit ? `${value} on one line, ${LIMIT}` : value
  }
  if (isSplit) {
    const strings = chunks.map(asCode).join(', then ')
    return `value in ${chunks.length} strings of one record, ${LIMIT}: ${strings}`
  }
  if (chunks.length === 1) return `value ${asCode(text)}`
  const other = isKnown
    ? ''
    : `, or, if your DNS host rejects that, ${asCode(quoteStrings(chunks))}`
  return `value ${asCode(text)} in one piece${other}`
}
