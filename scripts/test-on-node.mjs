/**
 * Runs the unit tests on another Node, which npm provides as a package: `node scripts/test-on-node.mjs
 * 24.21.0`. Further arguments go to Vitest.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const [version, ...vitestArgs] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  process.stderr.write('Usage: node scripts/test-on-node.mjs <version> [Vitest options]\n')
  process.exit(2)
}

const platform = `${process.platform}-${process.arch}`
const name = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`
const prefix = `node_modules/.cache/node-${version}`
const node = `${prefix}/node_modules/${name}/bin/node`

if (!existsSync(node)) {
  run('npm', [
    'install',
    '--no-save',
    '--no-package-lock',
    '--prefix',
    prefix,
    `${name}@${version}`,
  ])
}
run(node, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...vitestArgs])

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
