/** What the bundle may contain, from the lock file: an account that the bundler has no part in. */
import { readFileSync } from 'node:fs'

interface LockedPackage {
  readonly version: string
  readonly link?: boolean
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

type Locked = Readonly<Record<string, LockedPackage>>

/** Test code, and the parser of the data, which is compiled before. */
const NOT_BUNDLED = ['@mailgrade/testing', 'yaml']

/** `name version` of every package that the sources of `mailgrade` need, sorted. */
export function bundledPackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Locked }
  const found = new Set<string>()
  const visit = (path: string) => {
    if (found.has(path)) return
    found.add(path)
    for (const name of neededBy(path, packages)) visit(findPackage(path, name, packages))
  }
  visit('packages/cli')
  const names = [...found]
    .filter((path) => path.includes('node_modules/'))
    .map((path) => `${path.replace(/^.*node_modules\//, '')} ${packages[path]?.version}`)
  return [...new Set(names)].sort()
}

function neededBy(path: string, packages: Locked): string[] {
  const { dependencies, optionalDependencies, devDependencies } = packages[path] ?? {}
  // Our own packages are bundled with all they need, so they depend on nothing at run time.
  const ours = path.startsWith('packages/') ? devDependencies : {}
  return Object.keys({ ...dependencies, ...optionalDependencies, ...ours }).filter(
    (name) => !name.startsWith('@types/') && !NOT_BUNDLED.includes(name),
  )
}

/** Where Node would find it: in the nearest `node_modules` above. */
function findPackage(from: string, name: string, packages: Locked): string {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    const path = `${at && `${at}/`}node_modules/${name}`
    const found = packages[path]
    if (found) return (found.link && found.resolved) || path
    if (at === '') throw new Error(`${name} is not in the lock file`)
  }
}
