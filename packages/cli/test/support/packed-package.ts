/** The package `mailgrade`, packed as npm would publish it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Returns the path of the tarball. */
export function packPackage(folder: string): string {
  const options = { cwd: resolve('packages/cli'), encoding: 'utf8' } as const
  const [result] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], options),
  )
  return join(folder, result.filename)
}

/**
 * Creates an empty project in `folder` and installs the tarball there as a user would, with scripts.
 * Offline and with an empty cache, npm can install nothing else.
 */
export function installPackage(folder: string, tarball: string): void {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  runNpm(folder, 'install', '--offline', tarball)
}

/** The home is empty, so there is no cache, and settings of this machine don't count. */
export function runNpm(project: string, ...args: readonly string[]): string {
  const { PATH = '' } = process.env
  const home = join(project, '..', 'home')
  const env = { PATH, HOME: home, npm_config_update_notifier: 'false' }
  return execFileSync('npm', args, { cwd: project, env, encoding: 'utf8' })
}
