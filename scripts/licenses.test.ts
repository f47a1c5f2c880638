/** Licenses of packages that ship and of the lists that come from others. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

interface Locked {
  readonly dev?: boolean
  readonly license?: string
  readonly version?: string
  readonly optionalDependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

const { findShipped } = await import(new URL('shipped-packages.mjs', import.meta.url).href)

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
  test('accepts the packages that ship and the sources of lists', async () => {
    const { code, out, err } = await check()
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^\d+ packages and 5 sources of lists, all under /)
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

  test('names bundled packages, which only development installs', async () => {
    const lock = writeLockFile({
      'packages/cli': { devDependencies: { table: '1.0.0', '@types/table': '1.0.0' } },
      'packages/testing': { devDependencies: { tool: '1.0.0' } },
      'node_modules/table': { license: 'MIT', dev: true, optionalDependencies: { colors: '^2' } },
      'node_modules/table/node_modules/colors': { version: '2.0.0', license: 'GPL-2.0', dev: true },
      'node_modules/colors': { version: '3.0.0', license: 'GPL-3.0', dev: true },
      'node_modules/@types/table': { version: '1.0.0', license: 'GPL-3.0', dev: true },
      'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0', dev: true },
    })
    expect(await check(lock)).toEqual({ code: 1, out: '', err: 'colors@2.0.0: GPL-2.0\n' })
  })

  test.each(['cli', 'server'])('looks at every package in the bundle of %s', (name) => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    const shipped: string[] = findShipped(packages)
    const checked = shipped.map(
      (path) => `${path.replace(/^.*node_modules\//, '')} ${packages[path].version}`,
    )
    const notices = readFileSync(`packages/${name}/dist/THIRD-PARTY-NOTICES.txt`, 'utf8')
    const bundled = notices.split(/^-{72}\n\n/m).map((notice) => notice.split('\n')[0] ?? '')
    expect(bundled.length).toBeGreaterThan(30)
    expect(bundled.filter((it) => !checked.includes(it))).toEqual([])
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
