import { execFileSync } from 'node:child_process'

/**
 * Vitest's global setup: builds the service, so tests never start an old build. Several suites in a
 * row need one build only, and whoever made it says so with `MAILGRADE_BUILT=1`.
 */
export function setup(): void {
  if (process.env.MAILGRADE_BUILT === '1') return
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
