/**
 * Runs the unit tests on another Node: `node scripts/test-on-node.mjs 24.21.0`. Further arguments
 * go to Vitest.
 */
import { spawnSync } from 'node:child_process'
import { installNode } from './install-node.mjs'

const [version, ...vitestArgs] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  process.stderr.write('Usage: node scripts/test-on-node.mjs <version> [Vitest options]\n')
  process.exit(2)
}

const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...vitestArgs]
const { status } = spawnSync(installNode(version), args, { stdio: 'inherit' })
process.exit(status ?? 1)
