/** The badge that people put on their own site: the question, the verdict, and when it was checked. */
import type { StatusName } from '@mailgrade/core'
import { escapeXml } from '@mailgrade/operations/escape-xml'
import { formatUtcDay, type VerdictImage } from './verdict-image.js'

const QUESTION = 'email forgery'

/** Dark enough for white text (WCAG AA). */
const COLORS: Record<StatusName, string> = {
  pass: '#11643a',
  warn: '#8a5300',
  fail: '#a61b1b',
  unknown: '#53606d',
}
const INK = '#17212b'
const FAINT = '#dfe5eb'

const HEIGHT = 20
const PADDING = 7

interface Segment {
  readonly text: string
  readonly fill: string
  readonly color: string
}

export function badgeSvg(image: VerdictImage): string {
  const { status, label, checkedAt } = image
  const segments: Segment[] = [
    { text: QUESTION, fill: INK, color: '#fff' },
    { text: label, fill: COLORS[status], color: '#fff' },
  ]
  if (checkedAt !== null) {
    segments.push({ text: `checked ${formatUtcDay(checkedAt)}`, fill: FAINT, color: INK })
  }
  let width = 0
  const drawn = segments.map(({ text, fill, color }) => {
    const length = estimateTextWidth(text)
    const x = width
    width += length + 2 * PADDING
    // With textLength, the text fits in whatever font the reader has.
    return `<rect x="${x}" width="${length + 2 * PADDING}" height="${HEIGHT}" fill="${fill}"/><text x="${x + PADDING}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${color}">${escapeXml(text)}</text>`
  })
  const title = escapeXml(describeImage(image))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-labelledby="t"><title id="t">${title}</title><clipPath id="c"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath><g clip-path="url(#c)" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">${drawn.join('')}</g></svg>\n`
}

function describeImage({ domain, label, statement, checkedAt }: VerdictImage): string {
  if (domain === null || checkedAt === null) return `${QUESTION}: ${label}. ${statement}`
  const time = `${checkedAt.slice(0, 19).replace('T', ' ')} UTC`
  return `${domain}: ${label}. ${statement} Checked ${time}.`
}

/** About what Verdana needs at 11 px. */
function estimateTextWidth(text: string): number {
  let width = 0
  for (const character of text) {
    if (/[ijltfrI.,:' ]/.test(character)) width += 4.3
    else if (/[mwMW]/.test(character)) width += 10
    else width += /[A-Z]/.test(character) ? 7.8 : 6.8
  }
  return Math.ceil(width)
}
