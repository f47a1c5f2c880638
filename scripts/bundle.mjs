/**
 * Bundles what ships, each part into `dist/` of its package: `node scripts/bundle.mjs [cli] [types]
 * [server]`. A file is written only if it changes, so a process that runs from `dist/` is not
 * disturbed by another build of the same sources.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import './build-data.mjs'
import { onDemand } from './on-demand.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const inPackages = (path) => join(ROOT, 'packages', path)

const PARTS = {
  /** One file that both need, a door to it each, and what few commands need in files of its own. */
  async cli() {
    const everything = await bundle({
      input: inPackages('cli/src/mailgrade.ts'),
      // Only a caller who pays with `--server` installs them.
      external: [/^@x402\//, /^viem(\/|$)/],
      preserveEntrySignatures: 'allow-extension',
      plugins: [onDemand],
      // It is downloaded. Names stay, because people report the stack of an error.
      output: { minify: { mangle: { keepNames: true } } },
    })
    const doors = await bundle({
      input: [inPackages('cli/src/main.ts'), inPackages('cli/src/index.ts')],
      external: [/\/mailgrade\.js$/],
    })
    writeShipped('cli', [...everything, ...doors, ...(await bundleTables())])
  },

  /** The types of the library in one file, from the declarations that `tsc -b` writes. */
  async types() {
    // The image is built without it.
    const { dts } = await import('rolldown-plugin-dts')
    const [types] = await bundle({
      input: inPackages('cli/build/index.d.ts'),
      plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
    })
    // The comment is about the line after it, and the printer joins them.
    const code = types.code.replaceAll(/\/\*\* @ts-ignore [^*]*\*\//g, '$&\n')
    writeChanged(inPackages('cli/dist/index.d.ts'), code)
  },

  async server() {
    const chunks = await bundle({
      input: [inPackages('server/src/main.ts'), inPackages('server/src/reconcile.ts')],
      // Native code, which npm installs.
      external: ['classic-level', '@nomicfoundation/edr'],
      plugins: [onDemand],
    })
    writeShipped('server', [...chunks, ...(await bundleTables())])
  },
}

const names = process.argv.slice(2)
for (const name of names.length > 0 ? names : Object.keys(PARTS)) await PARTS[name]()

/** See `on-demand.mjs`. CommonJS, because the code that needs it does not wait. */
function bundleTables() {
  const output = { format: 'cjs', entryFileNames: 'uts46.cjs', minify: true }
  return bundle({ input: 'tr46', output })
}

async function bundle({ output, ...input }) {
  const build = await rolldown({
    ...input,
    cwd: ROOT,
    platform: 'node',
    // Its paths lead to the sources of our packages.
    tsconfig: 'tsconfig.json',
    transform: { target: 'node20.18' },
    // V8 reads a CommonJS module twice: as a function, and again when it runs.
    resolve: { mainFields: ['module', 'main'] },
    // The list of public suffixes would be in there fifteen times.
    optimization: { inlineConst: false },
  })
  const options = { format: 'esm', chunkFileNames: '[name].js', comments: { legal: false } }
  return (await build.generate({ ...options, ...output })).output
}

function writeShipped(name, chunks) {
  const folder = inPackages(`${name}/dist`)
  const files = new Map(chunks.map(({ fileName, code }) => [fileName, code]))
  files.set('THIRD-PARTY-NOTICES.txt', collectNotices(chunks.flatMap((it) => it.moduleIds)))
  mkdirSync(folder, { recursive: true })
  for (const [file, content] of files) writeChanged(join(folder, file), content)
  for (const file of readdirSync(folder)) {
    if (!files.has(file) && file !== 'index.d.ts') rmSync(join(folder, file), { recursive: true })
  }
  copyLists(inPackages(`${name}/data`))
}

/** What code reads while it runs; the rest of the data is in the code. */
function copyLists(folder) {
  const entries = readdirSync(inPackages('core/data'), { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.yaml'))
  const lists = files.map(({ name: file }) => file)
  mkdirSync(folder, { recursive: true })
  for (const file of lists) cpSync(inPackages(`core/data/${file}`), join(folder, file))
  for (const file of readdirSync(folder)) {
    if (!lists.includes(file)) rmSync(join(folder, file), { recursive: true })
  }
}

function writeChanged(file, content) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== content) writeFileSync(file, content)
}

/** Licenses of the packages in a bundle, which require that their text is included. */
function collectNotices(moduleIds) {
  const folders = new Set(
    moduleIds.map((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0]),
  )
  folders.delete(undefined)
  const notices = [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return `${manifest.name} ${manifest.version}\n\n${readLicense(folder, manifest)}\n`
  })
  return [...new Set(notices)].sort().join(`\n${'-'.repeat(72)}\n\n`)
}

/** Some packages only name their license; without its text here, the build fails. */
function readLicense(folder, { name, author = `the authors of ${name}`, license }) {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file) return readFileSync(join(folder, file), 'utf8').trim()
  const text = readFileSync(join(ROOT, 'scripts/licenses', `${license}.txt`), 'utf8').trim()
  return `Copyright (c) ${author.name ?? author}\n\n${text}`
}
