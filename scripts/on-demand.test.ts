/** The string-width of the bundle, which prepares less, gives the widths of the package. */
import { resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { describe, expect, test } from 'vitest'

const { onDemand } = await import(new URL('on-demand.mjs', import.meta.url).href)

type StringWidth = (text: string) => number

async function bundleStringWidth(plugins: Plugin[]): Promise<StringWidth> {
  const build = await rolldown({ input: 'string-width', cwd: resolve('packages/cli'), plugins })
  const { output } = await build.generate({ format: 'esm' })
  const { default: stringWidth } = await import(
    `data:text/javascript,${encodeURIComponent(output[0].code)}`
  )
  return stringWidth
}

const original = await bundleStringWidth([])
const changed = await bundleStringWidth([onDemand])

/** Texts with another width, as code points. */
const differences = (texts: readonly string[]) =>
  texts
    .filter((text) => changed(text) !== original(text))
    .map((text) => [...text].map((character) => character.codePointAt(0)?.toString(16)).join(' '))

/** All scripts that our patterns name, and all emoji. */
const characters = [...charactersFrom(0, 0x3100), ...charactersFrom(0x1f000, 0x1fb00)]

function charactersFrom(start: number, end: number): string[] {
  return Array.from({ length: end - start }, (_, at) => String.fromCodePoint(start + at))
}

describe('widths', () => {
  test('of every character that can be an emoji or narrow', () => {
    expect(differences(characters)).toEqual([])
    // As a picture, with a combining accent, and with a skin tone.
    for (const mark of ['\ufe0f', '\u0301', '\u{1f3fd}']) {
      expect(differences(characters.map((character) => character + mark))).toEqual([])
    }
  })

  test('of emoji with several characters', () => {
    const letters = characters.filter((character) => /\p{Regional_Indicator}/u.test(character))
    const flags = letters.flatMap((first) => letters.map((second) => first + second))
    const sequences = ['1️⃣', '#⃣', '👩‍⚕️', '👩‍⚕', '❤️‍🔥', '👨‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏳️‍🌈', '🧑🏽‍🎓']
    expect(letters).toHaveLength(26)
    expect(differences([...flags, ...sequences])).toEqual([])
    expect(changed('👩‍⚕️')).toBe(2)
  })

  test('of words and drawings with signs side by side', () => {
    const texts = [
      '└▶ Refused',
      '■□□  1 of 10',
      'we couldn’t – “Müller” …',
      '\u001b[1m┌ a\u001b[22m',
      'テスト.test',
    ]
    expect(differences(texts)).toEqual([])
    expect(texts.map(changed)).toEqual([10, 12, 24, 3, 11])
  })
})

test('a package without the line that changes is an error', () => {
  expect(() => onDemand.transform.handler('', 'node_modules/wrap-ansi/index.js')).toThrow(
    'wrap-ansi/index.js no longer has const segmenter',
  )
})
