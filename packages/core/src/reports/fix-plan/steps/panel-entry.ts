/** How a record is entered at a panel, in the words of a step. */
import type { DnsPanel } from '../../../catalog/find-dns-host.js'
import { formatList, truncateForDisplay } from '../../../checks/format-list.js'
import { splitCharacterStrings } from '../../character-strings.js'
import { parseMxValue } from '../mx-value.js'
import type { PanelRecord } from '../panel-record.js'
import { quoteStrings } from '../presentation-format.js'

/** Where records are entered; of a host that we do not know, as most panels do it. */
export interface PanelContext {
  readonly panel: DnsPanel
  readonly isKnown: boolean
}

/** To be typed or copied as it stands. */
export function asCode(text: string): string {
  return `\`${text.replace(CONTROL, inDigits)}\``
}

/** Line breaks and the like would tear a step apart; panels and zone files know them as `\\010`. */
const CONTROL = /\p{Cc}/gu

function inDigits(character: string): string {
  return `\\${character.charCodeAt(0).toString().padStart(3, '0')}`
}

/** Values to be recognised, not typed. */
export function asCodeList(values: readonly string[]): string {
  // Cut first and quoted then: the other way round, what closes the quotation would be cut off.
  return formatList(values, (value) => asCode(truncateForDisplay(value)))
}

/** For a form: `name …`, or that there is none. */
export function nameToEnter({ host }: Pick<PanelRecord, 'host'>): string {
  return host === '' ? 'leave the name field empty' : `name ${asCode(host)}`
}

/** For a record that is there. */
export function describeExistingName({ host }: Pick<PanelRecord, 'host'>): string {
  return host === '' ? 'of the zone itself (its name is empty)' : `named ${asCode(host)}`
}

/** The fields behind the name. */
export function dataToEnter(
  { type, value }: Pick<PanelRecord, 'type' | 'value'>,
  place: PanelContext,
) {
  if (type === 'TXT') return textToEnter(value, place)
  if (type === 'CNAME') return `target ${asCode(value)}`
  const { preference, exchange } = parseMxValue(value)
  // RFC 7505 §3: the root as the server says that the domain takes no mail.
  const dot = exchange === '.' ? ' (a single dot)' : ''
  return `priority ${asCode(`${preference}`)}, mail server ${asCode(exchange)}${dot}`
}

const LIMIT = 'for one string holds at most 255 octets'

function textToEnter(text: string, { panel, isKnown }: PanelContext): string {
  const chunks = splitCharacterStrings(text)
  const isLong = chunks.length > 1
  const isSplit = isLong && panel.split === 'manual'
  const isQuoted = panel.quotes === 'always' || (isSplit && panel.quotes === 'when-split')
  if (isQuoted) {
    const value = `value ${asCode(quoteStrings(isSplit ? chunks : [text]))} with the quotes`
    return isSplit ? `${value} on one line, ${LIMIT}` : value
  }
  if (isSplit) {
    const strings = chunks.map(asCode).join(', then ')
    return `value in ${chunks.length} strings of one record, ${LIMIT}: ${strings}`
  }
  if (!isLong) return `value ${asCode(text)}`
  const other = isKnown ? '' : `, or, if the panel refuses that, ${asCode(quoteStrings(chunks))}`
  return `value ${asCode(text)} in one piece${other}`
}
