/**
 * Builds a release and publishes it to npm: `npm run release -- --dry-run` only builds and lists it.
 *
 * `dist/release/`, or the folder in `--out`, then has the npm package, the MCP bundle and their
 * checksums. `--built` takes the build that is there.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { zipSync } from 'fflate'
import { mcpbManifest } from './release/mcpb-manifest.mjs'
import { completeManifest, findRepository, resolveLinks } from './release/published-files.mjs'
import { findMismatches, listVersions } from './release/versions.mjs'

const { env } = process
const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    out: { type: 'string', default: 'dist/release' },
  },
})

const read = (file) => readFileSync(file, 'utf8')
const run = (program, ...args) => execFileSync(program, args, { stdio: 'inherit' })

const manifest = JSON.parse(read('packages/cli/package.json'))
const { name, version } = manifest
checkVersions()
if (!options.built) {
  for (const folder of ['build', 'dist', 'data']) {
    rmSync(join('packages/cli', folder), { recursive: true, force: true })
  }
  run('npx', 'tsc', '--build', '--force', 'packages/cli', 'packages/operations')
  run('node', 'scripts/bundle.mjs', 'cli', 'types')
}
const out = resolve(options.out)
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const staging = mkdtempSync(join(tmpdir(), 'mailgrade-release-'))
try {
  const published = stage()
  const { filename, files } = pack()
  await writeBundle(published, files)
  writeChecksums()
  listRelease(filename, files)
  if (options['dry-run']) process.stdout.write('\nNothing was published.\n')
  else publish(join(out, filename))
} finally {
  rmSync(staging, { recursive: true })
}

function checkVersions() {
  const folders = readdirSync('packages').map((folder) => `packages/${folder}`)
  const tag = env.GITHUB_REF_TYPE === 'tag' ? env.GITHUB_REF_NAME : undefined
  const mismatches = findMismatches(version, listVersions(read, folders), tag)
  if (mismatches.length === 0) return
  process.stderr.write(`${mismatches.join('\n')}\n`)
  process.exit(1)
}

/** Copies what is published, completed with links to the repository; returns its package.json. */
function stage() {
  for (const path of [...manifest.files, 'LICENSE']) {
    cpSync(join('packages/cli', path), join(staging, path), { recursive: true })
  }
  const repository = findRepository(env, readOrigin())
  const published = completeManifest(manifest, repository)
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  const readme = resolveLinks(read('packages/cli/README.md'), repository, version)
  writeFileSync(join(staging, 'README.md'), readme)
  return published
}

function readOrigin() {
  return spawnSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8' }).stdout.trim()
}

function pack() {
  const args = ['pack', '--json', '--pack-destination', out]
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: staging, encoding: 'utf8' }))
  return packed
}

/** The files of the package, with what an app needs to install them. */
async function writeBundle(published, files) {
  const { OPERATIONS } = await import('@mailgrade/operations/operations')
  const entries = {
    'manifest.json': Buffer.from(JSON.stringify(mcpbManifest(published, OPERATIONS), null, 2)),
    'icon.png': readFileSync('scripts/release/icon.png'),
    ...Object.fromEntries(files.map(({ path }) => [path, readFileSync(join(staging, path))])),
  }
  // The same files make the same archive, so it has no times of its own.
  const archive = zipSync(entries, { mtime: new Date(1980, 0, 1), level: 9 })
  writeFileSync(join(out, `${name}-${version}.mcpb`), archive)
}

function writeChecksums() {
  const lines = readdirSync(out).map((file) => {
    const hash = createHash('sha256').update(readFileSync(join(out, file)))
    return `${hash.digest('hex')}  ${file}\n`
  })
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
}

function listRelease(tarball, files) {
  const line = (size, path) => `${(size / 1_000).toFixed(1).padStart(10)} kB  ${path}\n`
  const total = files.reduce((sum, { size }) => sum + size, 0)
  process.stdout.write(`${name} ${version} in ${out}\n`)
  for (const file of readdirSync(out))
    process.stdout.write(line(statSync(join(out, file)).size, file))
  process.stdout.write(
    `\n${tarball}, ${files.length} files, ${(total / 1e6).toFixed(1)} MB unpacked\n`,
  )
  for (const { size, path } of files) process.stdout.write(line(size, path))
}

/** Without a token: npm trusts the release workflow, which proves who it is with OpenID Connect. */
function publish(tarball) {
  run('npm', 'publish', tarball, '--provenance', '--access', 'public')
}
