/** A release up to the moment when it would be published. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packRelease, REPOSITORY, type Release } from './support/packed-package.js'

const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'))

let folder: string
let release: Release
/** The contents of the npm package. */
let packed: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-release-'))
  release = packRelease(folder)
  mkdirSync(join(folder, 'packed'))
  execFileSync('tar', ['-xzf', release.tarball, '-C', join(folder, 'packed')])
  packed = join(folder, 'packed/package')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(path, file)).isFile())
    .sort()

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

test('has the npm package and its checksum', () => {
  const name = `mailgrade-${version}.tgz`
  expect(readdirSync(release.folder).sort()).toEqual(['SHA256SUMS', name])
  const sums = [release.tarball].map((file) => {
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex')
    return `${hash}  ${basename(file)}\n`
  })
  expect(readFileSync(join(release.folder, 'SHA256SUMS'), 'utf8')).toBe(sums.join(''))
})

test('is listed with every file, and not published', () => {
  for (const file of [...readdirSync(release.folder), ...filesIn(packed)]) {
    expect(release.listing).toContain(` kB  ${file}\n`)
  }
  expect(release.listing).toMatch(/\nNothing was published\.\n$/)
})

test('stops if the tag names another version', () => {
  const env = { ...process.env, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v0.0.1' }
  const run = () =>
    execFileSync(process.execPath, ['scripts/release.mjs', '--dry-run', '--built'], {
      env,
      stdio: 'pipe',
      encoding: 'utf8',
    })
  expect(run).toThrow(`The tag is v0.0.1 instead of v${version}.`)
})

describe('the npm package', () => {
  test('says where the repository is, and nothing that is only for development', () => {
    const manifest = readJson(packed, 'package.json')
    expect(manifest).toMatchObject({
      homepage: `https://github.com/${REPOSITORY}#readme`,
      bugs: { url: `https://github.com/${REPOSITORY}/issues` },
      repository: { type: 'git', url: `git+https://github.com/${REPOSITORY}.git` },
      keywords: expect.arrayContaining(['spf', 'dkim', 'dmarc']),
    })
    expect(manifest).not.toHaveProperty('devDependencies')
    expect(manifest).not.toHaveProperty('dependencies')
  })

  test('has a README whose links lead to files of this version', () => {
    const readme = readFileSync(join(packed, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const prefix = `https://github.com/${REPOSITORY}/blob/v${version}/`
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((link) => !link.startsWith(prefix))).toEqual([])
    const paths = links.map((link) => link.slice(prefix.length))
    expect(paths.filter((path) => !statSync(path, { throwIfNoEntry: false }))).toEqual([])
  })
})
