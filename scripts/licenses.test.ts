/** Licenses of production packages and of the lists that come from others. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

interface Locked {
  readonly dev?: boolean
  readonly license?: string
  readonly version?: string
}

function check(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/check-licenses.mjs', ...args], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

function writeJson(content: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'licenses-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'file.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

function writeLockFile(packages: Record<string, Locked>): string {
  return writeJson({ packages })
}

describe('check-licenses', () => {
  test('accepts the production packages and the sources of lists', async () => {
    const { code, out, err } = await check()
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^\d+ packages and 4 sources of lists, all under /)
  })

  test('names packages with a license that is not on the list', async () => {
    const lock = writeLockFile({
      '': { version: '1.0.0' },
      'node_modules/fine': { version: '1.0.0', license: 'MIT' },
      'node_modules/either': { version: '1.0.0', license: '(GPL-3.0-only OR MIT)' },
      'node_modules/both': { version: '2.0.0', license: 'MIT AND GPL-3.0-only' },
      'node_modules/fine/node_modules/@deep/down': { version: '3.0.0', license: 'AGPL-3.0' },
      'node_modules/silent': { version: '4.0.0' },
      'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0-only', dev: true },
    })
    expect(await check(lock)).toEqual({
      code: 1,
      out: '',
      err: 'both@2.0.0: MIT AND GPL-3.0-only\n@deep/down@3.0.0: AGPL-3.0\nsilent@4.0.0: no license\n',
    })
  })

  test('names sources of lists with a license that is not on the list', async () => {
    const sources = writeJson([
      { package: 'fine-names', version: '1.0.0', license: 'CC0-1.0' },
      { package: 'share-alike-names', version: '2.0.0', license: 'CC-BY-SA-4.0' },
    ])
    const { code, err } = await check(writeLockFile({}), sources)
    expect({ code, err }).toEqual({ code: 1, err: 'share-alike-names@2.0.0: CC-BY-SA-4.0\n' })
  })
})
