import { execFileSync } from 'node:child_process'
import { REGISTRIES_SUITE_DIR } from './suite-tools.js'

/**
 * Vitest's global set-up: fetches what registries and callers use, as locked, into a folder of its
 * own. To move to another version, change it in `suite/package.json` and run
 * `npm install --package-lock-only` there.
 */
export function setup(): void {
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['ci', ...quietly], { cwd: REGISTRIES_SUITE_DIR, stdio: 'inherit' })
}
