/** The image that platforms show beside a link to a result: 1200 × 630 pixels, as they ask for. */

import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { StatusName } from '@mailgrade/core'
import { decode } from 'fast-png'
import { SHARE_FOLDER } from '../../server-files.js'
import { formatUtcDay, type VerdictImage } from './verdict-image.js'

const WIDTH = 1_200
const HEIGHT = 630
/** The first octet of a row says that it is not filtered. */
const ROW = WIDTH + 1

const PANEL_WIDTH = 340
const LEFT = 400
const RIGHT = 1_140
const TEXT_WIDTH = RIGHT - LEFT
const LINE_HEIGHT = 58
const MAX_LINES = 3

const PAPER: Rgb = [255, 255, 255]
const INK: Rgb = [0x17, 0x21, 0x2b]
const FAINT: Rgb = [0x53, 0x60, 0x6d]
const ACCENT: Rgb = [0x0b, 0x5b, 0xb5]
const STATUS_COLORS: Record<StatusName, Rgb> = {
  pass: [0x11, 0x64, 0x3a],
  warn: [0x8a, 0x53, 0x00],
  fail: [0xa6, 0x1b, 0x1b],
  unknown: FAINT,
}

/** From one color to another in 16 levels: where its colors begin in the palette. */
const INK_ON_PAPER = 0
const FAINT_ON_PAPER = 16
const ACCENT_ON_PAPER = 32
const STATUS_ON_PAPER = 48
const PAPER_ON_STATUS = 64

/** Returns a function that draws an image as PNG. */
export function createDrawShareImage(serviceName: string) {
  const art = loadShareArt()
  return function drawShareImage(image: VerdictImage) {
    const rows = new Uint8Array(ROW * HEIGHT)
    drawPanel(rows, art, image.status)
    drawVerdict(rows, art, image)
    drawFooter(rows, art, image.checkedAt, serviceName)
    return encodePng(createPalette(STATUS_COLORS[image.status]), rows)
  }
}

function createPalette(status: Rgb): Rgb[] {
  return [
    ...mixColors(PAPER, INK),
    ...mixColors(PAPER, FAINT),
    ...mixColors(PAPER, ACCENT),
    ...mixColors(PAPER, status),
    ...mixColors(status, PAPER),
  ]
}

function mixColors(from: Rgb, to: Rgb): Rgb[] {
  return Array.from({ length: 16 }, (_, level): Rgb => {
    const mix = (index: 0 | 1 | 2) =>
      Math.round(from[index] + ((to[index] - from[index]) * level) / 15)
    return [mix(0), mix(1), mix(2)]
  })
}

function drawPanel(rows: Uint8Array, art: ShareArt, status: StatusName): void {
  for (let y = 0; y < HEIGHT; y++) {
    rows.fill(PAPER_ON_STATUS, y * ROW + 1, y * ROW + 1 + PANEL_WIDTH)
  }
  const mark = art.marks[status]
  const x = (PANEL_WIDTH - mark.width) / 2
  drawPart(rows, art, mark, x, (HEIGHT - mark.height) / 2, PAPER_ON_STATUS)
}

function drawVerdict(rows: Uint8Array, art: ShareArt, image: VerdictImage): void {
  const { small, heading, text } = art.fonts
  if (image.domain !== null) {
    const { font, name } = fitDomain(art, image.domain)
    drawText(rows, art, small, 'Can anyone forge its email?', LEFT, 92, FAINT_ON_PAPER)
    drawText(rows, art, font, name, LEFT, 190, INK_ON_PAPER)
  }
  const label = image.label.charAt(0).toUpperCase() + image.label.slice(1)
  const labelY = image.domain === null ? 230 : 298
  drawText(rows, art, heading, label, LEFT, labelY, STATUS_ON_PAPER)
  for (const [index, line] of wrapText(text, image.statement).entries()) {
    drawText(rows, art, text, line, LEFT, labelY + 70 + index * LINE_HEIGHT, INK_ON_PAPER)
  }
}

function drawFooter(
  rows: Uint8Array,
  art: ShareArt,
  checkedAt: string | null,
  serviceName: string,
): void {
  const { logo } = art.marks
  const { subheading, small } = art.fonts
  drawPart(rows, art, logo, LEFT, HEIGHT - 60 - logo.height, ACCENT_ON_PAPER)
  drawText(rows, art, subheading, serviceName, LEFT + 74, HEIGHT - 74, INK_ON_PAPER)
  if (checkedAt === null) return
  const date = `Checked ${formatUtcDay(checkedAt)}`
  const x = Math.round(RIGHT - measureText(small, date))
  drawText(rows, art, small, date, x, HEIGHT - 76, FAINT_ON_PAPER)
}

/** The largest letters in which the whole name fits; a longer name loses its middle. */
function fitDomain({ fonts }: ShareArt, domain: string): { font: Font; name: string } {
  const { title, heading, subheading } = fonts
  const font = [title, heading].find((it) => measureText(it, domain) <= TEXT_WIDTH) ?? subheading
  for (let kept = domain.length; ; kept--) {
    const isWhole = kept === domain.length
    const end = Math.ceil(kept / 2)
    const name = isWhole
      ? domain
      : `${domain.slice(0, kept - end)}…${domain.slice(domain.length - end)}`
    if (measureText(font, name) <= TEXT_WIDTH) return { font, name }
  }
}

function wrapText(font: Font, text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)
    const longer = line === undefined ? word : `${line} ${word}`
    if (line !== undefined && measureText(font, longer) <= TEXT_WIDTH)
      lines[lines.length - 1] = longer
    else if (lines.length < MAX_LINES) lines.push(word)
    else return [...lines.slice(0, -1), `${line}…`]
  }
  return lines
}

/** `y` is the baseline. */
function drawText(
  rows: Uint8Array,
  art: ShareArt,
  font: Font,
  text: string,
  x: number,
  y: number,
  color: number,
): void {
  let pen = x
  for (const character of text) {
    const glyph = glyphOf(font, character)
    const part = { x: glyph.x, y: font.y, width: glyph.width, height: font.height }
    drawPart(rows, art, part, Math.round(pen) + glyph.left, y - font.ascent, color)
    pen += glyph.advance
  }
}

function drawPart(
  rows: Uint8Array,
  { levels, width: artWidth }: ShareArt,
  { x: fromX, y: fromY, width, height }: ArtPart,
  atX: number,
  atY: number,
  color: number,
): void {
  // Text that is too long ends at the edge.
  const columns = Math.min(width, WIDTH - atX)
  for (let y = 0; y < height; y++) {
    const from = (fromY + y) * artWidth + fromX
    const to = (atY + y) * ROW + 1 + atX
    for (let x = 0; x < columns; x++) {
      const value = color + (levels[from + x] ?? 0)
      // Edges of letters overlap: the darker one stays.
      if (value > (rows[to + x] ?? 0) && value > color) rows[to + x] = value
    }
  }
}

/** A rectangle of the art. */
interface ArtPart {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Font {
  readonly y: number
  readonly height: number
  /** From the first row to the baseline. */
  readonly ascent: number
  readonly glyphs: Readonly<Record<string, Glyph>>
}

interface Glyph {
  readonly x: number
  readonly width: number
  /** From the pen to the first column. */
  readonly left: number
  /** From this pen to the next. */
  readonly advance: number
}

interface Parts {
  readonly fonts: Readonly<Record<'title' | 'heading' | 'subheading' | 'text' | 'small', Font>>
  readonly marks: Readonly<Record<StatusName | 'logo', ArtPart>>
}

interface ShareArt extends Parts {
  readonly width: number
  /** How much of each pixel is covered, 0 to 15. */
  readonly levels: Uint8Array
}

/** The letters and marks, as packages/server/scripts/draw-share-art.mjs has drawn them. */
function loadShareArt(): ShareArt {
  const { width, data, text } = decode(readFileSync(new URL('art.png', SHARE_FOLDER)))
  const parts: Parts = JSON.parse(text.parts ?? '{}')
  return { width, levels: new Uint8Array(data).map((value) => value >> 4), ...parts }
}

/** A character that the font does not have is a question mark. */
function glyphOf({ glyphs }: Font, character: string): Glyph {
  const glyph = Object.hasOwn(glyphs, character) ? glyphs[character] : glyphs['?']
  return glyph ?? { x: 0, width: 0, left: 0, advance: 0 }
}

function measureText(font: Font, text: string): number {
  let width = 0
  for (const character of text) width += glyphOf(font, character).advance
  return width
}

const deflateAsync = promisify(deflate)

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

type Rgb = readonly [red: number, green: number, blue: number]

/**
 * Writes an indexed PNG (https://www.w3.org/TR/png-3/). Not fast-png's encoder: it takes 26 ms of
 * the main thread for a share image, and this takes 5 ms of another thread.
 */
async function encodePng(palette: readonly Rgb[], rows: Uint8Array) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  // 8 bits a pixel, color type 3 (indexed).
  header.set([8, 3, 0, 0, 0], 8)
  const chunks = [
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', await deflateAsync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return new Uint8Array(Buffer.concat(chunks))
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, checksum])
}
