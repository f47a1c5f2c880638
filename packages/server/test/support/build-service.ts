import { execFileSync } from 'node:child_process'

/** Vitest's global setup: builds the service, so tests never start an old build. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
