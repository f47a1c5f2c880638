/** The letters and marks of share images, as packages/server/scripts/draw-share-art.mjs has drawn them. */
import { readFileSync } from 'node:fs'
import type { StatusName } from '@mailgrade/core'
import { decode } from 'fast-png'
import { SHARE_FOLDER } from '../../server-files.js'

/** A rectangle of the art. */
export interface ArtPart {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Font {
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

export interface ShareArt extends Parts {
  readonly width: number
  /** How much of each pixel is covered, 0 to 15. */
  readonly levels: Uint8Array
}

export function loadShareArt(): ShareArt {
  const { width, data, text } = decode(readFileSync(new URL('art.png', SHARE_FOLDER)))
  const parts: Parts = JSON.parse(text.parts ?? '{}')
  return { width, levels: new Uint8Array(data).map((value) => value >> 4), ...parts }
}

/** A character that the font does not have is a question mark. */
export function glyphOf({ glyphs }: Font, character: string): Glyph {
  const glyph = Object.hasOwn(glyphs, character) ? glyphs[character] : glyphs['?']
  return glyph ?? { x: 0, width: 0, left: 0, advance: 0 }
}

export function measureText(font: Font, text: string): number {
  let width = 0
  for (const character of text) width += glyphOf(font, character).advance
  return width
}
