/** The package `mailgrade` as it is released. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the links of the release lead. */
export const REPOSITORY = 'owner/mailgrade'

export interface Release {
  readonly folder: string
  /** The package for npm. */
  readonly tarball: string
  /** The bundle for apps that use MCP. */
  readonly bundle: string
  /** What the script printed. */
  readonly listing: string
}

/** Everything but the publishing, of what is built. */
export function packRelease(into: string): Release {
  const folder = join(into, 'release')
  const listing = execFileSync(
    process.execPath,
    ['scripts/release.mjs', '--dry-run', '--built', '--out', folder],
    { env: { ...process.env, GITHUB_REPOSITORY: REPOSITORY }, encoding: 'utf8' },
  )
  const find = (end: string) =>
    join(folder, readdirSync(folder).find((file) => file.endsWith(end)) ?? '')
  return { folder, tarball: find('.tgz'), bundle: find('.mcpb'), listing }
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
