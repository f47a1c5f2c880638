/**
 * Writes the lists in data/, and NOTICE with their licenses, from the packages in data/sources.json:
 * `npm run lists`. The packages are fetched but not installed: one has a script that downloads other
 * data, one needs 7 MB of tools. To update a list, change its version and day in sources.json; the
 * error about the hash contains the new one. Writes into another folder if one is named.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

const require = createRequire(import.meta.url)

const DATA = fileURLToPath(new URL('../data', import.meta.url))
/** A few domains have letters beyond ASCII. */
const NAME = /^[\p{Ll}\d]+(?:[._-]+[\p{Ll}\d]+)*$/u

const [target = DATA] = process.argv.slice(2)
const sources = JSON.parse(readFileSync(join(DATA, 'sources.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'lists-'))
try {
  fetchSources()
  const disposable = collectNames('disposable-domains.br')
  const isDisposable = new Set(disposable)
  printChanges(disposable)
  // Compressed, because it is 2 MB.
  writeFileSync(join(target, 'disposable-domains.br'), brotliCompressSync(disposable.join('\n')))
  // These two are compressed for the size of the package. Two thirds of the first are disposable
  // domains, which are never free providers for us.
  const free = collectNames('free-providers.br').filter((name) => !isDisposable.has(name))
  writeText('free-providers.br', 'without the names in disposable-domains.br', free)
  writeText('public-suffixes.br', 'as rules again', collectRules())
  writeText('role-accounts.txt', 'sorted', collectNames('role-accounts.txt'))
  writeFileSync(join(target, 'NOTICE'), sources.map(formatNotice).join(`${'-'.repeat(78)}\n\n`))
} finally {
  rmSync(folder, { recursive: true })
}

function fetchSources() {
  const packages = sources.map(({ package: name, version }) => `${name}@${version}`)
  const args = ['pack', ...packages, '--json', '--loglevel=error']
  const packed = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
  for (const { name, id, filename, integrity } of packed) {
    const reviewed = sources.find((source) => source.package === name)
    if (integrity !== reviewed.integrity) throw new Error(`the hash of ${id} is ${integrity}`)
    mkdirSync(pathOf(name))
    const unpacked = ['--strip-components=1', '-C', pathOf(name)]
    execFileSync('tar', ['-xf', filename, ...unpacked], { cwd: folder })
  }
}

function pathOf(name, file = '') {
  return join(folder, name, file)
}

/** The names of all sources of a list, sorted. */
function collectNames(list) {
  const names = sources
    .filter((source) => source.list === list)
    .flatMap((source) => require(pathOf(source.package, source.file)))
  const faulty = names.filter((name) => !NAME.test(name))
  if (faulty.length > 0) throw new Error(`not names, in ${list}: ${faulty.join(', ')}`)
  return [...new Set(names)].sort()
}

/** The rules of publicsuffix.org, from a package that publishes them as a tree. */
function collectRules() {
  const { package: name, file } = sources.find(({ list }) => list === 'public-suffixes.br')
  const tree = require(pathOf(name, file))
  const ends = []
  for (const length of tree.edgeLength) ends.push((ends.at(-1) ?? 0) + length)
  function rulesBelow(node, parent, mark) {
    const edges = ends.slice(tree.edgeStart[node], tree.edgeStart[node + 1])
    return edges.flatMap((end, index) => {
      const edge = tree.edgeStart[node] + index
      const rule = tree.labelText.slice(end - tree.edgeLength[edge], end) + parent
      const child = tree.edgeChild[edge]
      const below = rulesBelow(child, `.${rule}`, mark)
      return tree.nodeFlags[child] === 0 ? below : [mark + rule, ...below]
    })
  }
  return [...rulesBelow(tree.rulesRoot, '', ''), ...rulesBelow(tree.exceptionsRoot, '', '!')].sort()
}

/** The compressed list shows nothing in a diff. */
function printChanges(names) {
  const content = readFileSync(join(DATA, 'disposable-domains.br'))
  const now = new Set(names)
  const before = new Set(brotliDecompressSync(content).toString().split('\n'))
  for (const name of before) if (!now.has(name)) process.stdout.write(`- ${name}\n`)
  for (const name of now) if (!before.has(name)) process.stdout.write(`+ ${name}\n`)
  process.stdout.write(`${now.size} disposable domains, before: ${before.size}\n`)
}

function writeText(list, how, names) {
  const source = sources.find((it) => it.list === list)
  const header = `# ${describe(source)}, ${how}; see NOTICE`
  const text = `${[header, ...names].join('\n')}\n`
  writeFileSync(join(target, list), list.endsWith('.br') ? brotliCompressSync(text) : text)
  process.stdout.write(`${names.length} names in ${list}\n`)
}

function describe({ origin, package: name, version, license, taken }) {
  return `${origin ? `${origin}, from ` : ''}${name} ${version}, ${license}, taken on ${taken}`
}

function formatNotice(source) {
  const { license } = JSON.parse(readFileSync(pathOf(source.package, 'package.json'), 'utf8'))
  if (license !== source.license) throw new Error(`the license of ${source.package} is ${license}`)
  const file = readdirSync(pathOf(source.package)).find((name) => name.startsWith('LICENSE'))
  const text = readFileSync(pathOf(source.package, file), 'utf8').trim()
  return `${source.list} contains ${describe(source)}:\n\n${text}\n\n`
}
