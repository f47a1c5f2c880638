/**
 * Installs another Node, which npm provides as a package, and prints the path of its program:
 * `node scripts/install-node.mjs 24.21.0`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { argv, stdout } from 'node:process'
import { pathToFileURL } from 'node:url'

/** Returns the path of the program. */
export function installNode(version) {
  const platform = `${process.platform}-${process.arch}`
  const name = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`
  const prefix = resolve(`node_modules/.cache/node-${version}`)
  const node = `${prefix}/node_modules/${name}/bin/node`
  if (!existsSync(node)) {
    const install = ['install', '--no-save', '--no-package-lock', '--prefix', prefix]
    const { status } = spawnSync('npm', [...install, `${name}@${version}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    if (status !== 0) throw new Error(`npm could not install ${name}@${version}`)
  }
  return node
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  stdout.write(`${installNode(argv[2])}\n`)
}
