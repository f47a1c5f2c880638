/**
 * Turns data into modules that code loads, so that no parser ships: what people edit in
 * `packages/core/data` and `packages/server/content`, and compiled contracts. Whatever builds or tests calls it; it does nothing
 * while the modules are newer than their sources, and fails with all faults of the entries.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const CORE = fileURLToPath(new URL('../packages/core/', import.meta.url))
const SERVER = fileURLToPath(new URL('../packages/server/', import.meta.url))
const CATALOG = join(CORE, 'src/catalog')
/** Each with a `contracts.json`; an image is built without tests. */
const CONTRACTS = ['src/sandbox/token', 'test/support/contracts']
  .map((folder) => join(SERVER, folder))
  .filter((folder) => existsSync(folder))
const SOURCES = [
  fileURLToPath(import.meta.url),
  join(CORE, 'data'),
  CATALOG,
  join(SERVER, 'content'),
  join(SERVER, 'src/content'),
  ...CONTRACTS,
]
/** In the order of the catalog. */
const AREAS = ['spf', 'dmarc', 'dkim', 'mx', 'transport', 'plan']
const STAMP = join(CATALOG, 'generated/services.ts')

if (!existsSync(STAMP) || SOURCES.some((path) => changedAt(path) > statSync(STAMP).mtimeMs)) {
  await buildData()
}

async function buildData() {
  const { compileDmarcServices, compileDnsHosts, compileLists, compileServices } =
    await importTypeScript('compile-catalog')
  const thisMonth = new Date().toISOString().slice(0, 7)
  const services = compileServices(readData('services.yaml'), thisMonth)
  const dmarcServices = compileDmarcServices(readData('dmarc-services.yaml'), thisMonth)
  const dnsHosts = compileDnsHosts(readData('dns-hosts.yaml'), thisMonth)
  writeLists(compileLists(readData('lists.yaml')))
  await writeFindings()
  await writePlanWords()
  await writeContent()
  CONTRACTS.forEach(writeContracts)
  writeModule(
    'dns-hosts',
    `import type { DnsHost, DnsPanel } from '../dns-host-schema.js'`,
    'DNS_HOST_DATA: { generic: DnsPanel; hosts: DnsHost[] }',
    dnsHosts,
  )
  writeModule(
    'dmarc-services',
    `import type { DmarcService } from '../dmarc-service-schema.js'`,
    'DMARC_SERVICES: DmarcService[]',
    dmarcServices,
  )
  writeModule(
    'services',
    `import type { MailService } from '../service-schema.js'`,
    'SERVICES: MailService[]',
    services,
  )
}

/** With the codes of the reasons as a type. */
function writeLists(lists) {
  const codes = Object.keys(lists.addressReasons).map((code) => `\n  | '${code}'`)
  const types = [
    `import type { Lists } from '../lists-schema.js'`,
    `export type AddressReasonCode =${codes.join('')}`,
    `interface ListData extends Lists {
  readonly addressReasons: Readonly<Record<AddressReasonCode, Lists['addressReasons'][string]>>
}`,
  ]
  writeModule('lists', types.join('\n\n'), 'LISTS: ListData', lists)
}

/** With the ids, and the values that the words of each need, as types. */
async function writeFindings() {
  const { compileFindings } = await importTypeScript('compile-findings')
  const files = AREAS.map((area) => [area, readData(`findings/${area}.md`)])
  const { values, ...data } = compileFindings(Object.fromEntries(files))
  const fields = ([key, names]) =>
    `  readonly '${key}': { ${names.map((name) => `readonly ${name}: WordValues[string]`).join('; ')} }`
  const types = [
    `import type { WordValues } from '../fill-words.js'`,
    `import type { FindingEntry, FindingWords } from '../finding-entry.js'`,
    `export type FindingId =${Object.keys(data.entries)
      .map((id) => `\n  | '${id}'`)
      .join('')}`,
    `export interface FindingValues {\n${Object.entries(values).map(fields).join('\n')}\n}`,
    'export type FindingKey = keyof FindingValues',
    `interface FindingData {
  readonly entries: Readonly<Record<FindingId, FindingEntry>>
  readonly cases: Readonly<Partial<Record<FindingKey, Partial<FindingWords>>>>
}`,
  ]
  writeModule('findings', types.join('\n\n'), 'FINDING_DATA: FindingData', data)
}

/** With the values that each text needs as types. */
async function writePlanWords() {
  const { compileWords } = await importTypeScript('compile-words')
  const { texts, values } = compileWords(readWords())
  const fields = ([key, names]) =>
    `  readonly '${key}': { ${names.map((name) => `readonly ${name}: WordValues[string]`).join('; ')} }`
  const types = [
    `import type { WordValues } from '../fill-words.js'`,
    `export interface PlanWordValues {\n${Object.entries(values).map(fields).join('\n')}\n}`,
    'export type PlanWordKey = keyof PlanWordValues',
  ]
  writeModule('plan-words', types.join('\n\n'), 'PLAN_WORDS: Record<PlanWordKey, string>', texts)
}

function readWords() {
  const files = readdirSync(join(CORE, 'data/plan-words')).filter((file) =>
    /^[a-z]+\.md$/.test(file),
  )
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(0, -'.md'.length), readData(`plan-words/${file}`)]),
  )
}

/** The prose of the site, with the names of its parts as types. */
async function writeContent() {
  const folder = join(SERVER, 'src/content')
  const { compileContent } = await importTypeScript('compile-content', folder)
  const names = readdirSync(join(SERVER, 'content')).filter((file) => /^[a-z-]+\.md$/.test(file))
  const files = names.map((file) => [
    file.slice(0, -'.md'.length),
    readFileSync(join(SERVER, 'content', file), 'utf8'),
  ])
  const content = compileContent(Object.fromEntries(files))
  const placesOf = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => `'${name}'`)
  const places = Object.entries(content.texts).map(([file, texts]) => {
    const fields = Object.entries(texts).map(
      ([key, text]) => `${key}: ${placesOf(text).join(' | ') || 'never'}`,
    )
    return `  readonly '${file}': { ${fields.join('; ')} }`
  })
  const keys = (part) =>
    Object.keys(content[part])
      .map((key) => `\n  | '${key}'`)
      .join('')
  const types = [
    `import type { Mechanism } from '../mechanism.js'`,
    `import type { PageTemplate } from '../page-template.js'`,
    `import type { ProblemWords } from '../problem-words.js'\n`,
    `export type MechanismName =${keys('mechanisms')}\n`,
    `/** The places that each text has. */
export interface TextPlaces {\n${places.join('\n')}\n}\n`,
    `interface Content {
  readonly pages: Readonly<Record<${keys('pages')}, PageTemplate>>
  readonly mechanisms: Readonly<Record<MechanismName, Mechanism>>
  readonly problems: Readonly<Record<${keys('problems')}, ProblemWords>>
  readonly texts: { readonly [File in keyof TextPlaces]: Readonly<Record<keyof TextPlaces[File], string>> }
}`,
  ]
  writeModule('content', types.join('\n'), 'CONTENT: Content', content, folder)
}

/** V8 reads JSON faster than the same literal in JavaScript. */
function writeModule(file, imports, constant, value, folder = CATALOG) {
  const json = JSON.stringify(JSON.stringify(value))
  const code = `${imports}\n\nexport const ${constant} = JSON.parse(${json})\n`
  mkdirSync(join(folder, 'generated'), { recursive: true })
  writeFileSync(join(folder, 'generated', `${file}.ts`), code)
}

/** As code, because only a literal gives viem the types of an ABI. */
function writeContracts(folder) {
  const contracts = JSON.parse(readFileSync(join(folder, 'contracts.json'), 'utf8'))
  const constants = Object.entries(contracts).flatMap(([prefix, { code, abi }]) => [
    `export const ${prefix}_CODE: Hex = '${code}'`,
    `export const ${prefix}_ABI = ${JSON.stringify(abi)} as const`,
  ])
  mkdirSync(join(folder, 'generated'), { recursive: true })
  const file = join(folder, 'generated/contracts.ts')
  writeFileSync(file, `import type { Hex } from 'viem'\n\n${constants.join('\n')}\n`)
}

function readData(file) {
  return readFileSync(join(CORE, 'data', file), 'utf8')
}

/** The compiler shares its types with what it compiles, and Node 20 runs no TypeScript. */
async function importTypeScript(name, folder = CATALOG) {
  const file = join(folder, '../../build', `${name}.mjs`)
  const input = join(folder, `${name}.ts`)
  const build = await rolldown({ input, external: ['marked', 'yaml', 'zod'], tsconfig: false })
  await build.write({ file })
  return import(pathToFileURL(file).href)
}

/** When the last of the files below it was changed, except those written here. */
function changedAt(path) {
  if (path.endsWith('generated')) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(...readdirSync(path).map((name) => changedAt(join(path, name))))
}
