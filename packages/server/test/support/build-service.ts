import { execFileSync } from 'node:child_process'

/** Vitest's global setup: builds the service, so tests never start an old build. */
export function setup(): void {
  execFileSync(
    process.execPath,
    [
      'node_modules/typescript/bin/tsc',
      '-b',
      'packages/cli',
      'packages/server',
      'packages/testing',
    ],
    {
      stdio: 'inherit',
    },
  )
}
