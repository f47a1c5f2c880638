/**
 * Turns what people edit (the YAML in `packages/core/data`) into modules that code loads, so that no
 * parser ships. Whatever builds or tests calls it; it does nothing while the modules are newer than
 * their sources, and fails with all faults of the entries.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const CORE = fileURLToPath(new URL('../packages/core/', import.meta.url))
const SOURCES = [fileURLToPath(import.meta.url), join(CORE, 'data'), join(CORE, 'src/catalog')]
const GENERATED = join(CORE, 'src/catalog/generated')
const STAMP = join(GENERATED, 'services.ts')

if (!existsSync(STAMP) || SOURCES.some((path) => changedAt(path) > statSync(STAMP).mtimeMs)) {
  await buildData()
}

async function buildData() {
  const { compileDnsHosts, compileServices } = await importTypeScript('compile-catalog')
  const thisMonth = new Date().toISOString().slice(0, 7)
  const services = compileServices(readData('services.yaml'), thisMonth)
  const dnsHosts = compileDnsHosts(readData('dns-hosts.yaml'), thisMonth)
  mkdirSync(GENERATED, { recursive: true })
  writeModule(
    'dns-hosts',
    `import type { DnsHost, DnsPanel } from '../dns-host-schema.js'`,
    'DNS_HOST_DATA: { generic: DnsPanel; hosts: DnsHost[] }',
    dnsHosts,
  )
  writeModule(
    'services',
    `import type { MailService } from '../service-schema.js'`,
    'SERVICES: MailService[]',
    services,
  )
}

/** V8 reads JSON faster than the same literal in JavaScript. */
function writeModule(file, imports, constant, value) {
  const json = JSON.stringify(JSON.stringify(value))
  const code = `${imports}\n\nexport const ${constant} = JSON.parse(${json})\n`
  writeFileSync(join(GENERATED, `${file}.ts`), code)
}

function readData(file) {
  return readFileSync(join(CORE, 'data', file), 'utf8')
}

/** The compiler shares its types with what it compiles, and Node 20 runs no TypeScript. */
async function importTypeScript(name) {
  const file = join(CORE, 'build', `${name}.mjs`)
  const input = join(CORE, `src/catalog/${name}.ts`)
  const build = await rolldown({ input, external: ['yaml', 'zod'], tsconfig: false })
  await build.write({ file })
  return import(pathToFileURL(file).href)
}

/** When the last of the files below it was changed, except those written here. */
function changedAt(path) {
  if (path === GENERATED) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(...readdirSync(path).map((name) => changedAt(join(path, name))))
}
