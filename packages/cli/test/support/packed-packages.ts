/** The published packages, packed as npm would publish them. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const PACKAGES = ['doh', 'core', 'cli'] as const

/** Returns the paths of the tarballs, in the order of `PACKAGES`. */
export function packPackages(folder: string): string[] {
  return PACKAGES.map((name) => {
    const options = { cwd: resolve('packages', name), encoding: 'utf8' } as const
    const [result] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', folder], options),
    )
    return join(folder, result.filename)
  })
}

/** Creates an empty project in `folder` and installs the tarballs in it. */
export function installPackages(folder: string, tarballs: readonly string[]): void {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  execFileSync('npm', ['install', ...tarballs], { cwd: folder })
}
