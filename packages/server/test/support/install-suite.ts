/**
 * Vitest's global setup of the conformance and registries projects: installs the tools of a suite as
 * locked, into a folder of their own, as they need other package versions than the service. To
 * update one, change `suite/package.json` and run `npm install --package-lock-only` there.
 */
import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'

export function setup({ name }: TestProject): void {
  const cwd = `packages/server/test/${name}/suite`
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', args, { cwd, stdio: 'inherit' })
}
