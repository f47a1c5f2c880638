/** The package, packed and installed in an empty project as a user would. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseSync } from '@swc/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledPackages } from './support/bundled-packages.js'
import { installPackage, packRelease, runNpm } from './support/packed-package.js'

const MAX_UNPACKED_BYTES = 3_000_000
const OPTIONAL_PEERS = ['@x402/evm', '@x402/fetch', 'viem']
const TSC = resolve('node_modules/typescript/bin/tsc')

const PROGRAM = `import { checkSpf, createZoneDns, type Dns, type ReportResult, type SpfReport } from 'mailgrade'

const dns: Dns = createZoneDns('zone', 'acme.test. TXT "v=spf1 include:acme.test -all"')
const result: ReportResult<SpfReport> = await checkSpf('acme.test', { dns, ip: undefined })
if (result.kind !== 'report') throw new Error(result.kind)
console.log(JSON.stringify(result.report.issues.map(({ id }) => id)))
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
let tarball: string
let project: string
let installed: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-package-'))
  tarball = packRelease(folder).tarball
  project = join(folder, 'project')
  installPackage(project, tarball)
  installed = join(project, 'node_modules/mailgrade')
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  writeFileSync(join(project, 'program.ts'), PROGRAM)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(path, file)).isFile())
    .sort()

const runNode = (...args: readonly string[]) =>
  execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' })

describe('the package', () => {
  test('has no problem that publint knows', async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true })
    expect(messages).toEqual([])
  })

  test('has types that @arethetypeswrong/cli finds wherever ESM is imported', () => {
    const args = [tarball, '--profile', 'esm-only', '--format', 'json']
    const output = execFileSync('node_modules/.bin/attw', args, { encoding: 'utf8' })
    const problems: { kind: string; resolutionKind: string }[] =
      JSON.parse(output).analysis.problems
    expect(problems.map(({ kind, resolutionKind }) => `${resolutionKind}: ${kind}`)).toEqual([
      'node10: NoResolution',
      'node16-cjs: CJSResolvesToESM',
    ])
  })

  test('is the only one in node_modules', () => {
    const names = readdirSync(join(project, 'node_modules'))
    expect(names.filter((name) => !name.startsWith('.'))).toEqual(['mailgrade'])
    expect(readdirSync(installed)).not.toContain('node_modules')
  })

  test('has the files that it needs, in at most 3 MB', () => {
    const files = filesIn(installed)
    const isCode = (file: string) => /^dist\/[a-z0-9-]+\.js$/.test(file)
    expect(files.filter((file) => !isCode(file))).toEqual([
      'LICENSE',
      'README.md',
      'data/NOTICE',
      'data/disposable-domains.br',
      'data/free-providers.br',
      'data/public-suffixes.br',
      'data/role-accounts.txt',
      'data/sources.json',
      'dist/THIRD-PARTY-NOTICES.txt',
      'dist/index.d.ts',
      'dist/uts46.cjs',
      'man/mailgrade.1',
      'package.json',
    ])
    expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/main.js']))
    const sizes = files.map((file) => statSync(join(installed, file)).size)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_UNPACKED_BYTES)
  })

  test('imports only parts of Node, and the packages that paying needs', () => {
    const imports = filesIn(join(installed, 'dist'))
      .filter((file) => /\.c?js$/.test(file))
      .flatMap((file) => importsOf(readFileSync(join(installed, 'dist', file), 'utf8')))
    expect(imports).toEqual(expect.arrayContaining(['./mailgrade.js', 'node:tls']))
    const packages = imports.filter((name) => !name.startsWith('./') && !isBuiltin(name))
    const names = packages.map((name) => name.match(/^(@[^/]+\/)?[^/]+/)?.[0])
    expect([...new Set(names)].sort()).toEqual(OPTIONAL_PEERS)
  })

  test('names every package in its bundle, with the text of its license', () => {
    const text = readFileSync(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
    const notices = text.split(`\n${'-'.repeat(72)}\n\n`).map((notice) => {
      const [title = '', , ...license] = notice.split('\n')
      return { title, license: license.join('\n') }
    })
    expect(notices.map(({ title }) => title).sort()).toEqual(bundledPackages())
    const permission = /permission is hereby granted|permission to use|redistribution and use/i
    const incomplete = notices.filter(({ license }) => !permission.test(license))
    expect(incomplete.map(({ title }) => title)).toEqual([])
  })
})

describe('in an empty TypeScript project', () => {
  test('it type-checks, and checks a domain in a zone', () => {
    runNode(TSC)
    expect(JSON.parse(runNode('out/program.js'))).toEqual(['spf.loop'])
  })

  test('it type-checks as a bundler resolves it', () => {
    const bundler = ['--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler']
    expect(runNode(TSC, ...bundler)).toBe('')
  })

  test('CommonJS imports it', () => {
    const script = "import('mailgrade').then(({ checkDomain }) => console.log(typeof checkDomain))"
    expect(runNode('--input-type=commonjs', '--eval', script)).toBe('function\n')
  })

  test('npx runs it', () => {
    expect(runNpm(project, 'exec', '--offline', '--', 'mailgrade', '--help')).toMatch(
      /^Usage: mailgrade \[command\] <domain\.\.\.> \[options\]\n/,
    )
  })
})

interface SyntaxNode {
  readonly type?: string
  readonly source?: { readonly value: string } | null
  readonly callee?: SyntaxNode
  readonly arguments?: readonly { readonly expression: SyntaxNode }[]
  readonly value?: string
  readonly quasis?: readonly { readonly raw: string }[]
}

/** What a module imports and exports from, at its start and on demand. */
function importsOf(code: string): string[] {
  const found: string[] = []
  const visit = (node: SyntaxNode) => {
    if (node.source) found.push(node.source.value)
    if (node.type === 'CallExpression' && node.callee?.type === 'Import') {
      const target = node.arguments?.[0]?.expression
      found.push(target?.quasis?.[0]?.raw ?? target?.value ?? '')
    }
    for (const child of Object.values(node)) {
      if (child !== null && typeof child === 'object') visit(child)
    }
  }
  visit(parseSync(code, { syntax: 'ecmascript', target: 'es2022' }) as SyntaxNode)
  return found
}
