/** A release up to the moment when it would be published. Needs npm, for the validator of bundles. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packRelease, REPOSITORY, type Release } from './support/packed-package.js'

const SUITE = resolve('packages/cli/test/release/suite')
const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'))

let folder: string
let release: Release
/** The contents of the npm package and of the bundle. */
let packed: string
let unpacked: string

/** To update it, change `suite/package.json` and run `npm install --package-lock-only` there. */
function installValidator(): void {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', args, { cwd: SUITE, stdio: 'inherit' })
}

function runMcpb(...args: readonly string[]): string {
  const program = join(SUITE, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js')
  return execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-release-'))
  release = packRelease(folder)
  mkdirSync(join(folder, 'packed'))
  execFileSync('tar', ['-xzf', release.tarball, '-C', join(folder, 'packed')])
  packed = join(folder, 'packed/package')
  installValidator()
  unpacked = join(folder, 'unpacked')
  runMcpb('unpack', release.bundle, unpacked)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(path, file)).isFile())
    .sort()

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

test('has the npm package, the bundle, and checksums of both', () => {
  const names = [`mailgrade-${version}.mcpb`, `mailgrade-${version}.tgz`]
  expect(readdirSync(release.folder).sort()).toEqual(['SHA256SUMS', ...names])
  const sums = [release.bundle, release.tarball].map((file) => {
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

describe('the bundle', () => {
  test('has the files of the npm package, a manifest and an icon', () => {
    const names = [...filesIn(packed), 'icon.png', 'manifest.json'].sort()
    expect(filesIn(unpacked)).toEqual(names)
    for (const file of filesIn(packed)) {
      expect(readFileSync(join(unpacked, file)).equals(readFileSync(join(packed, file)))).toBe(true)
    }
  })

  test('has a manifest and an icon that the official validator accepts', () => {
    const output = runMcpb('validate', join(unpacked, 'manifest.json'))
    expect(output).toContain('Manifest schema validation passes!')
    expect(output).toContain('Icon validation passed')
    expect(readJson(unpacked, 'manifest.json')).toMatchObject({ name: 'mailgrade', version })
  })

  test('lists the tools, with what each is for', () => {
    const { tools } = readJson(unpacked, 'manifest.json')
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'check_domain_email_security',
      'email_security_score',
      'check_email_address',
      'email_fix_plan',
    ])
    for (const { description } of tools) expect(description).toMatch(/^\S.{40,}\.$/)
  })

  test('runs where its manifest says', () => {
    const { entry_point: main, mcp_config } = readJson(unpacked, 'manifest.json').server
    expect(mcp_config).toEqual({ command: 'node', args: [`\${__dirname}/${main}`, 'mcp'] })
    const output = execFileSync(process.execPath, [join(unpacked, main), '--version'])
    expect(output.toString()).toBe(`${version}\n`)
  })
})
