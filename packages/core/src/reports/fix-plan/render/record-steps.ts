/** Writes the step that publishes or deletes records: where, what to enter, and how to check it. */
import type { DnsHost, DnsPanel, FormNote } from '../../../catalog/dns-hosts.js'
import { findServiceById } from '../../../catalog/mail-services.js'
import { hasPlaceholder } from '../../../catalog/record-template.js'
import { formatList } from '../../../checks/format-list.js'
import { registrableDomain } from '../../../names/registrable-domain.js'
import { MAX_STRING_OCTETS } from '../../record-data.js'
import { expectedTextLength, streamOf, type Zone } from '../planned-record.js'
import { isChange, nameRelativeToZone, type PanelRecord } from './panel-record.js'
import { checkUrl, type Group, type StepDraft, type StepsInput } from './step-draft.js'
import { asCode, writeRecordStep } from './write-record-step.js'

export function recordsStep(group: Group, title: string, input: StepsInput): StepDraft {
  const [first] = group
  const conditions = [...new Set(group.map(({ onlyIf }) => onlyIf))].filter((text) => text !== null)
  const isRemoval = group.every(({ action }) => action === 'delete')
  return {
    kind: isRemoval ? 'remove' : 'publish',
    stream: streamOf(first),
    when: first.isLater ? 'later' : first.isOptional ? 'optional' : 'today',
    notBefore: first.isLater ? input.removalDate : null,
    title,
    service: first.service,
    where: whereToPublish(
      first,
      input,
      group.some(({ action }) => action === 'create'),
    ),
    actions: group.map((record) => actionFor(record, input)),
    records: group.map(({ order }) => order),
    onlyIf: conditions.join(' ') || null,
    optional: first.isOptional ?? false,
    verify: recordVerification(group, input),
  }
}

/** The last actions of a step are those of its records, one each. */
function actionFor(record: PanelRecord, input: StepsInput): string {
  if (input.proxied.includes(record.name)) {
    return `Open the CNAME record named ${asCode(record.host)} and set its proxy status to DNS only, so that receivers can find the key.`
  }
  const notes = record.isInOtherZone ? [] : formNotes(record, input)
  return [writeRecordStep(record, input.records, input), ...notes].join(' ')
}

function whereToPublish(
  record: PanelRecord,
  { zone, host, panel, isParked }: StepsInput,
  isNew: boolean,
): string {
  if (record.isInOtherZone) {
    const delegated = zone.delegated.find(
      (each) => record.name === each || record.name.endsWith(`.${each}`),
    )
    return delegated
      ? `The service that runs ${delegated} (your DNS hands this name over to it)`
      : `The DNS host for ${registrableDomain(record.name)}`
  }
  if (host) {
    return describePanel(host, panel, isNew)
  }
  if (isParked) return `The DNS host you choose for ${zone.apex}`
  const servers =
    zone.nameServers.length > 0 ? ` (name servers: ${formatList(zone.nameServers)})` : ''
  return `The DNS host for ${zone.apex}${servers}: ${panel.screen.path}`
}

/** The list of records, or the form for a new one. */
export function describePanel({ name }: DnsHost, { screen }: DnsPanel, isNew: boolean): string {
  const path = isNew ? screen.path : screen.path.replace(/ > (?:\+ )?(?:Add|Create)[^>]*$/, '')
  return `${name}: ${path}${screen.confirmed ? ` (as of ${screen.confirmed})` : ''}`
}

function recordVerification(group: Group, input: StepsInput): StepDraft['verify'] {
  const [first] = group
  const { domain, baseUrl } = input
  const hours = Math.ceil(first.ttl / 3600)
  const time = hours > 1 ? `${hours} hours` : 'an hour'
  const wait = `It can take ${time} for every receiver to see the change.`
  const isRemoval = group.every(({ action }) => action === 'delete')
  const url = (check: Parameters<typeof checkUrl>[1]) => checkUrl(baseUrl, check, domain)
  switch (first.purpose) {
    case 'spf':
      if (first.name !== domain) {
        const finder = findServiceById(first.service ?? '')?.name ?? 'The service'
        return { text: `${finder} should find the record. ${wait}`, url: null }
      }
      return { text: `The SPF check should show the new record. ${wait}`, url: url('spf') }
    case 'dkim': {
      const key = group.find(
        ({ name, action }) =>
          action !== 'delete' && name.includes(KEY_LABEL) && !hasPlaceholder(name),
      )
      const [selector = '', signer = domain] = (key ?? first).name.split(KEY_LABEL)
      if (isRemoval)
        return {
          text: 'The DKIM check should no longer find it.',
          url: checkUrl(baseUrl, 'dkim', domain, { selector }),
        }
      return key
        ? {
            text: `The DKIM check should find the key. ${wait}`,
            url: checkUrl(baseUrl, 'dkim', signer, { selector }),
          }
        : {
            text: `In the DKIM check, enter the selector, which is the part of the record name before ._domainkey. The check should find the key. ${wait}`,
            url: url('dkim'),
          }
    }
    case 'dmarc': {
      const shown = isRemoval ? 'no longer show this record' : 'show the new record'
      return { text: `The DMARC check should ${shown}. ${wait}`, url: url('dmarc') }
    }
    case 'mx':
      return { text: `The MX check should show the new records. ${wait}`, url: url('mx') }
    default:
      return { text: `The domain check should show the record. ${wait}`, url: url('check') }
  }
}

/** Between the selector and the name that a key signs for. */
const KEY_LABEL = '._domainkey.'

/** What to set in the form, with the first record that each note applies to. */
function formNotes(record: PanelRecord, { panel, zone, records }: StepsInput): string[] {
  const own = records.filter((each) => isChange(each) && !each.isInOtherZone)
  const subjects = Object.entries(panel.formNotes)
  const notes = new Map(subjects.map(([, note]): [string, FormNote] => [note.text, note]))
  const isNoted = (text: string, each: PanelRecord) =>
    subjects.some(([subject, note]) => note.text === text && isAbout(subject, each, zone))
  return [...notes.values()].flatMap(({ text, ...note }) => {
    const first = own.find((each) => isNoted(text, each))
    return ('isForEach' in note ? isNoted(text, record) : first === record) ? [text] : []
  })
}

function isAbout(subject: string, record: PanelRecord, zone: Zone): boolean {
  if (record.action === 'delete' || record.action === 'keep') return false
  if (subject === 'below') return nameRelativeToZone(record.name, zone) !== ''
  if (subject === 'long-txt')
    return record.type === 'TXT' && expectedTextLength(record) > MAX_STRING_OCTETS
  return subject === record.type || subject === record.purpose
}
