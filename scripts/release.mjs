/**
 * Builds a release and publishes it to npm: `npm run release -- --dry-run` only builds and lists it.
 *
 * `dist/release/`, or the folder in `--out`, then has the npm package and its checksum. `--built` takes the build that is there.
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
  run('npx', 'tsc', '--build', '--force', 'packages/cli')
  run('node', 'scripts/bundle.mjs', 'cli', 'types')
}
const out = resolve(options.out)
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const staging = mkdtempSync(join(tmpdir(), 'mailgrade-release-'))
try {
  stage()
  const { filename, files } = pack()
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

/** Copies what is published, completed with links to the repository. */
function stage() {
  for (const path of [...manifest.files, 'LICENSE']) {
    cpSync(join('packages/cli', path), join(staging, path), { recursive: true })
  }
  const repository = findRepository(env, readOrigin())
  const published = completeManifest(manifest, repository)
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  const readme = resolveLinks(read('packages/cli/README.md'), repository, version)
  writeFileSync(join(staging, 'README.md'), readme)
}

function readOrigin() {
  return spawnSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8' }).stdout.trim()
}

function pack() {
  const args = ['pack', '--json', '--pack-destination', out]
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: staging, encoding: 'utf8' }))
  return packed
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
