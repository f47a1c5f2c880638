import { execFileSync } from 'node:child_process'

/** Vitest's global set-up: the tests that start the service start what is built, not what was. */
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
