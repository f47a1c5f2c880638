/**
 * What packages prepare for emoji, for names and texts in other scripts and for processes they could
 * start takes V8 longer than the rest of a check. In the bundle it waits until it is needed.
 */

/** Every emoji has a character that this matches. */
export const MAY_BE_EMOJI = String.raw`/[\p{Emoji_Presentation}\uFE0F]/u`
/** Texts as wide as they are long: ASCII, European letters, and the signs in our words and drawings. */
export const AS_WIDE_AS_LONG = String.raw`/^[\u0020-\u007E\u00A0-\u00AC\u00AE-\u024F\u2010-\u2027\u2190-\u2193\u2212\u2264\u2265\u2500-\u257F\u25A0-\u25BF\u2713\u2715]*$/`

const SEGMENTER = [
  ['const segmenter = new Intl.Segmenter()', 'let segmenter'],
  ['segmenter.segment(', '(segmenter ??= new Intl.Segmenter()).segment('],
]
const CHANGES = [
  [
    /string-width\/index\.js$/,
    [
      ...SEGMENTER,
      [
        String.raw`/^\p{RGI_Emoji}$/v`,
        `{ test: (text) => ${MAY_BE_EMOJI}.test(text) && new RegExp('^\\\\p{RGI_Emoji}$', 'v').test(text) }`,
      ],
      [String.raw`/^[\u0020-\u007E]*$/`, AS_WIDE_AS_LONG],
    ],
  ],
  [/wrap-ansi\/index\.js$/, SEGMENTER],
  [
    /core\/src\/names\/uts46\.ts$/,
    [
      [
        "import { type Options, toASCII, toUnicode } from 'tr46'",
        "import { createRequire } from 'node:module'; const uts46 = () => createRequire(import.meta.url)('./uts46.cjs')",
      ],
      ['toASCII(', 'uts46().toASCII('],
      ['toUnicode(', 'uts46().toUnicode('],
    ],
  ],
  // Our messages are in English.
  [
    /zod\/v4\/(classic\/external|core\/index)\.js$/,
    [['export * as locales from "../locales/index.js";', '']],
  ],
  [
    /commander\/lib\/command\.js$/,
    [
      ["const process = require('node:process');", ''],
      ["const childProcess = require('node:child_process');", ''],
      ['childProcess.spawn(', "require('node:child_process').spawn("],
    ],
  ],
]

/** A plugin of rolldown. Fails if a new version of a package no longer has what is changed. */
export const onDemand = {
  name: 'on-demand',
  transform: {
    filter: { id: CHANGES.map(([file]) => file) },
    handler(code, id) {
      // cli-table3 brings an old string-width, which prepares nothing.
      if (code.includes("require('strip-ansi')")) return code
      const [, changes] = CHANGES.find(([file]) => file.test(id))
      return changes.reduce((changed, [from, to]) => {
        if (!changed.includes(from)) throw new Error(`${id} no longer has ${from}`)
        return changed.replaceAll(from, () => to)
      }, code)
    },
  },
}
