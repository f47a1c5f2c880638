/**
 * Draws packages/server/share/art.png, the letters and marks of the share images:
 * `npm run share-art`. CHROMIUM names the browser if it is not /usr/bin/chromium; DejaVu must be
 * installed. The pixels are coverage, so the server chooses the colors. Where each part is, and how
 * wide it is, is JSON in a tEXt chunk of the same file.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { encode } from 'fast-png'
import { chromium } from 'playwright-core'

const { CHROMIUM = '/usr/bin/chromium' } = process.env
const FOLDER = 'packages/server/share'
const FILE = `${FOLDER}/art.png`

const FAMILY = '"DejaVu Sans Condensed", "DejaVu Sans"'
const DOMAIN_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789.-_…'
const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
const TEXT_CHARACTERS = `${ASCII}…’“”`
const FONTS = [
  { name: 'title', css: `bold 84px ${FAMILY}`, characters: DOMAIN_CHARACTERS },
  { name: 'heading', css: `bold 60px ${FAMILY}`, characters: TEXT_CHARACTERS },
  { name: 'subheading', css: `bold 40px ${FAMILY}`, characters: TEXT_CHARACTERS },
  { name: 'text', css: `44px ${FAMILY}`, characters: TEXT_CHARACTERS },
  { name: 'small', css: `30px ${FAMILY}`, characters: TEXT_CHARACTERS },
]

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
try {
  const page = await browser.newPage()
  const { width, height, levels, parts } = await page.evaluate(drawArt, FONTS)
  const png = encode(
    {
      width,
      height,
      channels: 1,
      // 16 levels, which is what an image of the server has for an edge.
      data: Uint8Array.from(Buffer.from(levels, 'base64'), (level) => level * 17),
      text: { parts: toLatin1Json(parts) },
    },
    { zlib: { level: 9 } },
  )
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(FILE, png)
  process.stdout.write(`${FILE}: ${width} x ${height}, ${png.length} bytes\n`)
} finally {
  await browser.close()
}

/** A tEXt chunk has Latin-1 only. */
function toLatin1Json(value) {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Runs in the browser. */
function drawArt(fonts) {
  const { document } = globalThis
  const MARK = 220
  const LOGO = 56

  function createCanvas(width, height) {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width, height })
    const context = canvas.getContext('2d', { willReadFrequently: true })
    Object.assign(context, { fillStyle: '#000', strokeStyle: '#000' })
    return context
  }

  function drawMark(lines, dots = []) {
    const context = createCanvas(MARK, MARK)
    Object.assign(context, { lineWidth: 20, lineCap: 'round', lineJoin: 'round' })
    context.lineWidth = 13
    context.beginPath()
    context.arc(MARK / 2, MARK / 2, MARK / 2 - 8, 0, 2 * Math.PI)
    context.stroke()
    context.lineWidth = 20
    context.stroke(new Path2D(lines))
    for (const [x, y] of dots) {
      context.beginPath()
      context.arc(x, y, 13, 0, 2 * Math.PI)
      context.fill()
    }
    return context
  }

  /** The favicon: an envelope cut out of a square. */
  function drawLogo() {
    const context = createCanvas(LOGO, LOGO)
    context.scale(LOGO / 32, LOGO / 32)
    context.beginPath()
    context.roundRect(0, 0, 32, 32, 7)
    context.fill()
    Object.assign(context, { lineWidth: 2.2, lineJoin: 'round' })
    context.globalCompositeOperation = 'destination-out'
    context.stroke(new Path2D('M6 9.5h20v13H6zM6.5 10.5 16 17.5l9.5-7'))
    return context
  }

  const marks = {
    pass: drawMark('M62 114 97 149 158 78'),
    warn: drawMark('M110 58V122', [[110, 160]]),
    fail: drawMark('M75 75 145 145M145 75 75 145'),
    unknown: drawMark('M78 86a32 32 0 1 1 47 28c-10 6-15 10-15 20', [[110, 163]]),
    logo: drawLogo(),
  }

  /** One row: every glyph with its ink only, side by side. */
  function drawFont({ css, characters }) {
    const measure = createCanvas(1, 1)
    measure.font = css
    const glyphs = [...characters].map((character) => {
      const metrics = measure.measureText(character)
      const left = Math.floor(-metrics.actualBoundingBoxLeft)
      const width = Math.max(0, Math.ceil(metrics.actualBoundingBoxRight) - left)
      return { character, metrics, left, width, advance: Math.round(metrics.width * 4) / 4 }
    })
    const ascent = Math.ceil(Math.max(...glyphs.map((it) => it.metrics.actualBoundingBoxAscent)))
    const descent = Math.ceil(Math.max(...glyphs.map((it) => it.metrics.actualBoundingBoxDescent)))
    const total = glyphs.reduce((sum, { width }) => sum + width, 0)
    const context = createCanvas(total, ascent + descent)
    Object.assign(context, { font: css })
    const placed = {}
    let x = 0
    for (const { character, left, width, advance } of glyphs) {
      context.fillText(character, x - left, ascent)
      placed[character] = { x, width, left, advance }
      x += width
    }
    return { context, ascent, glyphs: placed }
  }

  const drawn = fonts.map((font) => ({ name: font.name, ...drawFont(font) }))
  const width = Math.max(...drawn.map(({ context }) => context.canvas.width))
  const markHeight = Math.max(...Object.values(marks).map(({ canvas }) => canvas.height))
  const height = drawn.reduce((sum, { context }) => sum + context.canvas.height, markHeight)
  const sheet = createCanvas(width, height)
  const parts = { marks: {}, fonts: {} }
  let x = 0
  for (const [name, { canvas }] of Object.entries(marks)) {
    sheet.drawImage(canvas, x, 0)
    parts.marks[name] = { x, y: 0, width: canvas.width, height: canvas.height }
    x += canvas.width
  }
  let y = markHeight
  for (const { name, context, ascent, glyphs } of drawn) {
    sheet.drawImage(context.canvas, 0, y)
    parts.fonts[name] = { y, height: context.canvas.height, ascent, glyphs }
    y += context.canvas.height
  }

  const { data } = sheet.getImageData(0, 0, width, height)
  let levels = ''
  for (let at = 3; at < data.length; at += 4) {
    levels += String.fromCharCode(Math.round(data[at] / 17))
  }
  return { width, height, levels: btoa(levels), parts }
}
