/** Text from reports for a cell or a line: anyone can write a report, and it may attack terminals. */
import { toShortLine } from '@mailgrade/core'

const OTHER_SPACE = /\p{Zs}/gu
const MAX_SHOWN = 120

export function printable(text: string, limit = MAX_SHOWN): string {
  return toShortLine(text, limit).replace(OTHER_SPACE, ' ')
}
