/** What `npm ci` installs and runs, here and for the suites with packages of their own. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { satisfies } from 'semver'
import { describe, expect, test } from 'vitest'

interface Locked {
  readonly engines?: { readonly node?: string }
  readonly resolved?: string
  readonly link?: boolean
  readonly deprecated?: string
  readonly hasInstallScript?: boolean
  readonly integrity?: string
}

/** Packages with an install script, and why it is harmless whether it runs or not. */
const REVIEWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'package-lock.json': {
    '@swc/core': 'loads the binary of its platform, which npm has installed, as a test',
    'classic-level': 'loads a binary that it contains, and compiles only for rare platforms',
  },
  'packages/cli/test/formats/suite/package-lock.json': {
    '@microsoft/sarif-multitool-darwin': 'makes its program executable, as the suite does itself',
    '@microsoft/sarif-multitool-linux': 'makes its program executable, as the suite does itself',
  },
  'packages/cli/test/release/suite/package-lock.json': {},
  'packages/server/test/conformance/suite/package-lock.json': {},
  'packages/server/test/registries/suite/package-lock.json': {},
  'packages/testing/mailauth/package-lock.json': {},
}

const { findShipped } = await import(new URL('shipped-packages.mjs', import.meta.url).href)

/** The oldest version of each release line: what users have, and what is built and tested on. */
const NODES = {
  production: ['20.18.0', '22.0.0', '24.0.0'],
  development: ['20.19.0', '22.13.0', '24.0.0'],
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function readPackages(file: string): [path: string, Locked][] {
  const { packages } = readJson(file) as { packages: Record<string, Locked> }
  return Object.entries(packages).filter(([path]) => path.includes('node_modules/'))
}

function readShippedPackages(): [path: string, Locked][] {
  const shipped = new Set(findShipped(readJson('package-lock.json').packages))
  return readPackages('package-lock.json').filter(([path]) => shipped.has(path))
}

function nameOf(path: string): string {
  return path.replace(/^.*node_modules\//, '')
}

test('covers every lock file', () => {
  const files = execFileSync('git', ['ls-files', '*package-lock.json'], { encoding: 'utf8' })
  expect(files.trim().split('\n')).toEqual(Object.keys(REVIEWED))
})

describe.each(Object.keys(REVIEWED))('%s', (file) => {
  const packages = readPackages(file)

  test('has no install script that was not reviewed', () => {
    const withScript = packages.filter(([, { hasInstallScript }]) => hasInstallScript)
    const reviewed = Object.keys(REVIEWED[file] ?? {})
    expect(withScript.map(([path]) => nameOf(path)).sort()).toEqual(reviewed)
    // npm 11 and newer print a warning about scripts that are neither allowed nor denied.
    const { allowScripts = {} } = readJson(`${dirname(file)}/package.json`)
    expect(allowScripts).toEqual(Object.fromEntries(reviewed.map((name) => [name, false])))
  })

  test('has no deprecated package', () => {
    expect(packages.filter(([, { deprecated }]) => deprecated)).toEqual([])
  })

  test('names no registry', () => {
    expect(packages.filter(([, { link, resolved }]) => resolved && !link)).toEqual([])
  })
})

// npm prints a warning for each package that asks for another Node.
test.each([
  ...NODES.production.map((node) => ({ node, where: 'production' })),
  ...NODES.development.map((node) => ({ node, where: 'development' })),
])('every package for $where supports Node $node', ({ node, where }) => {
  const packages =
    where === 'production' ? readShippedPackages() : readPackages('package-lock.json')
  expect(packages.length).toBeGreaterThan(100)
  const unsupported = packages.filter(([, { engines }]) => !satisfies(node, engines?.node ?? '*'))
  expect(unsupported.map(([path, { engines }]) => `${path}: ${engines?.node}`)).toEqual([])
})

test('has exact versions, and a hash for every package that ships', () => {
  const manifests = ['.', ...readdirSync('packages').map((name) => `packages/${name}`)].map(
    (folder) => readJson(`${folder}/package.json`),
  )
  const ranges = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.values({ ...dependencies, ...devDependencies }),
  )
  expect(ranges.filter((range) => !/^\d+\.\d+\.\d+$/.test(String(range)))).toEqual([])
  const unhashed = readShippedPackages().filter(
    ([, { integrity = '' }]) => !integrity.startsWith('sha512-'),
  )
  expect(unhashed).toEqual([])
})
