/** The published packages, packed and installed in an empty project as a user would. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installPackages, PACKAGES, packPackages } from './support/packed-packages.js'

const TSC = resolve('node_modules/typescript/bin/tsc')

const PROGRAM = `import { checkSpf, parseDomain } from '@mailgrade/core'
import { createZoneDns } from '@mailgrade/doh/zone'
import { checkSpf as checkSpfOf, type ReportResult, type SpfReport } from 'mailgrade'

const dns = createZoneDns('zone', 'acme.test. TXT "v=spf1 include:acme.test -all"')
const result: ReportResult<SpfReport> = await checkSpfOf('acme.test', { dns, ip: undefined })
const parsed = parseDomain('acme.test')
if (result.kind !== 'report' || parsed.kind !== 'domain') throw new Error(result.kind)
const direct = await checkSpf(dns, parsed.domain)
if (direct.kind !== 'report') throw new Error(direct.kind)
const ids = result.report.issues.map(({ id }) => id)
console.log(JSON.stringify({ ids, isSame: direct.report.record === result.report.record }))
`

const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    outDir: 'out',
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  },
  include: ['program.ts'],
}

let folder: string
let tarballs: string[]

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-packages-'))
  tarballs = packPackages(folder)
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(PACKAGES)('packages/%s', (name) => {
  test('publint reports nothing', async () => {
    const { messages } = await publint({ pkgDir: resolve('packages', name), strict: true })
    expect(messages).toEqual([])
  })

  test('@arethetypeswrong/cli reports nothing', () => {
    const tarball = tarballs[PACKAGES.indexOf(name)] ?? ''
    // The packages are ESM only, so how CommonJS resolves them on Node 16 is not a concern.
    const attw = () =>
      execFileSync('node_modules/.bin/attw', [tarball, '--profile', 'esm-only', '--format', 'json'])
    expect(attw).not.toThrow()
  }, 60_000)
})

describe('in an empty TypeScript project', () => {
  let project: string

  beforeAll(() => {
    project = join(folder, 'project')
    installPackages(project, tarballs)
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    writeFileSync(join(project, 'program.ts'), PROGRAM)
  }, 120_000)

  test('they type-check and run a check against a zone', () => {
    execFileSync(process.execPath, [TSC], { cwd: project, stdio: 'pipe' })
    const output = execFileSync(process.execPath, ['out/program.js'], {
      cwd: project,
      encoding: 'utf8',
    })
    expect(JSON.parse(output)).toEqual({ ids: ['spf.loop'], isSame: true })
  }, 60_000)

  test('they type-check as a bundler resolves them', () => {
    const bundler = ['--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler']
    execFileSync(process.execPath, [TSC, ...bundler], { cwd: project, stdio: 'pipe' })
  }, 60_000)

  test('CommonJS imports them', () => {
    const script = "import('mailgrade').then(({ checkDomain }) => console.log(typeof checkDomain))"
    const args = ['--input-type=commonjs', '--eval', script]
    const output = execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
    expect(output).toBe('function\n')
  })

  test('they have no install script', () => {
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
    const packages = Object.entries<{ hasInstallScript?: boolean }>(lock.packages)
    expect(packages.length).toBeGreaterThan(10)
    expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
  })

  test('they bring no payment, server or telemetry packages', () => {
    const installed = readdirSync(join(project, 'node_modules'))
    expect(installed).toContain('zod')
    const unwanted = ['viem', 'hono', '@x402', '@redis', '@opentelemetry', '@modelcontextprotocol']
    expect(installed.filter((name) => unwanted.includes(name))).toEqual([])
  })
})
