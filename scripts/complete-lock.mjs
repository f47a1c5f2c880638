/**
 * Completes package-lock.json for every platform.
 *
 * npm leaves optional packages out of the lock that it cannot fetch, such as binaries of other
 * platforms behind a mirror, and `npm ci` then rejects the lock. This adds them: the platform comes
 * from the name, the version from the package that depends on them.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const LOCK = 'package-lock.json'
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const PROCESSORS = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

const lock = JSON.parse(readFileSync(LOCK, 'utf8'))
const { packages } = lock

for (const [path, parent] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const isLocked = packages[`node_modules/${name}`] ?? packages[`${path}/node_modules/${name}`]
    if (!isLocked) packages[`node_modules/${name}`] = createEntry(name, version, parent)
  }
}

lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`)

function createEntry(name, version, { license, engines, dev }) {
  const words = name.split(/[-/]/)
  const system = SYSTEMS.find((candidate) => words.includes(candidate))
  const processor = PROCESSORS.find((candidate) => words.includes(candidate))
  if (!processor || !/^\d/.test(version)) throw new Error(`cannot complete ${name}@${version}`)
  return {
    version,
    cpu: [processor],
    ...(dev && { dev }),
    ...(words.includes('musl') && { libc: ['musl'] }),
    ...(system === 'linux' && words.includes('gnu') && { libc: ['glibc'] }),
    ...(license && { license }),
    optional: true,
    ...(system && { os: [system] }),
    ...(engines && { engines }),
  }
}
