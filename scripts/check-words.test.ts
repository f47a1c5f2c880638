import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/check-words.mjs', ...args], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

function write(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'words-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe('banned words', () => {
  test('fail with file, line, word and suggestion', async () => {
    const file = write('guide.md', '# Guide\n\nWhat to mend, and told\nstands there.\n')
    expect(await run(file)).toEqual({
      code: 1,
      out: `${file}:3: mend -> fix\n${file}:3: told -> said, shown, returned\n${file}:4: stands -> is, is published at\n`,
      err: '3 words to replace\n',
    })
  })

  test('are found across a line break', async () => {
    const file = write('guide.md', 'It is handed\nout.\n')
    expect((await run(file)).out).toBe(`${file}:1: handed out -> return, send\n`)
  })

  test('are found in strings, templates and JSX text', async () => {
    const file = write(
      'page.tsx',
      [
        '/** Ünïcödé before the first literal shifts its bytes. */',
        "const title = 'Nothing needs mending'",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template literal
        'const text = `${title}\n  anew`',
        'const page = <p>\n  Told you\n</p>',
      ].join('\n'),
    )
    expect((await run(file)).out).toBe(
      `${file}:2: mending -> fix\n${file}:4: anew -> again\n${file}:6: Told -> said, shown, returned\n`,
    )
  })

  test('are found in YAML and JSON', async () => {
    const yaml = write('rules.yaml', '# Tells what to do\nalert: Down\n')
    expect((await run(yaml)).code).toBe(1)
    const json = write('server.json', '{"description": "Mend it"}')
    expect((await run(json)).code).toBe(1)
  })
})

describe('allowed', () => {
  test('identifiers, types, imports and values that only programs read', async () => {
    const file = write(
      'code.ts',
      "import { mend } from './mend.js'\ntype Kind = 'told'\nexport const told = { kind: 'told', mend }\n",
    )
    expect(await run(file)).toEqual({ code: 0, out: '', err: '' })
  })

  test('code in Markdown, and words that only contain a banned one', async () => {
    const file = write('guide.md', 'We recommend `mend()`.\n\n```\ntold\n```\n\nAmend it.\n')
    expect(await run(file)).toMatchObject({ code: 0 })
  })

  test('comments, which --all checks', async () => {
    const file = write('code.ts', "// Told by DNS\nexport const url = 'http://x // y'\n")
    expect(await run(file)).toMatchObject({ code: 0 })
    expect((await run('--all', file)).out).toBe(`${file}:1: Told -> said, shown, returned\n`)
  })
})
