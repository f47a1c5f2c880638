import { execFileSync } from 'node:child_process'
import { CONFORMANCE_SUITE_DIR } from './run-conformance-suite.js'

/**
 * Vitest's global set-up: fetches the suite as locked, into a folder of its own, for it shares
 * packages with the service in other versions and needs a newer Node. To move to another version,
 * change it in `suite/package.json` and run `npm install --package-lock-only` there.
 */
export function setup(): void {
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['ci', ...quietly], { cwd: CONFORMANCE_SUITE_DIR, stdio: 'inherit' })
}
