/** How a record is entered at a panel, in the words of a step. */
import type { Panel } from '../../../catalog/dns-hosts.js'
import { brief, listed } from '../../../checks/listed.js'
import { characterStrings } from '../../character-strings.js'
import { mxValue } from '../mx-value.js'
import { quotedStrings } from '../presentation.js'
import type { WrittenRecord } from '../written-record.js'

/** Where records are entered; of a host that we do not know, as most panels do it. */
export interface Place {
  readonly panel: Panel
  readonly isKnown: boolean
}

/** To be typed or copied as it stands. */
export function literal(text: string): string {
  return `\`${text.replace(CONTROL, inDigits)}\``
}

/** Line breaks and the like would tear a step apart; panels and zone files know them as `\\010`. */
const CONTROL = /\p{Cc}/gu

function inDigits(character: string): string {
  return `\\${character.charCodeAt(0).toString().padStart(3, '0')}`
}

/** Values to be recognised, not typed. */
export function literals(values: readonly string[]): string {
  // Cut first and quoted then: the other way round, what closes the quotation would be cut off.
  return listed(values, (value) => literal(brief(value)))
}

/** For a form: `name …`, or that there is none. */
export function nameToEnter({ host }: Pick<WrittenRecord, 'host'>): string {
  return host === '' ? 'leave the name field empty' : `name ${literal(host)}`
}

/** For a record that is there. */
export function named({ host }: Pick<WrittenRecord, 'host'>): string {
  return host === '' ? 'of the zone itself (its name is empty)' : `named ${literal(host)}`
}

/** The fields behind the name. */
export function dataToEnter({ type, value }: Pick<WrittenRecord, 'type' | 'value'>, place: Place) {
  if (type === 'TXT') return textToEnter(value, place)
  if (type === 'CNAME') return `target ${literal(value)}`
  const { preference, exchange } = mxValue(value)
  // RFC 7505 §3: the root as the server says that the domain takes no mail.
  const dot = exchange === '.' ? ' (a single dot)' : ''
  return `priority ${literal(`${preference}`)}, mail server ${literal(exchange)}${dot}`
}

const LIMIT = 'for one string holds at most 255 octets'

function textToEnter(text: string, { panel, isKnown }: Place): string {
  const chunks = characterStrings(text)
  const isLong = chunks.length > 1
  const isSplit = isLong && panel.split === 'manual'
  const isQuoted = panel.quotes === 'always' || (isSplit && panel.quotes === 'when-split')
  if (isQuoted) {
    const value = `value ${literal(quotedStrings(isSplit ? chunks : [text]))} with the quotes`
    return isSplit ? `${value} on one line, ${LIMIT}` : value
  }
  if (isSplit) {
    const strings = chunks.map(literal).join(', then ')
    return `value in ${chunks.length} strings of one record, ${LIMIT}: ${strings}`
  }
  if (!isLong) return `value ${literal(text)}`
  const other = isKnown ? '' : `, or, if the panel refuses that, ${literal(quotedStrings(chunks))}`
  return `value ${literal(text)} in one piece${other}`
}
