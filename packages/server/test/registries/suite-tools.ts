/** The tools of the suite, each a process of its own that talks to nobody but us. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

export const REGISTRIES_SUITE_DIR = 'packages/server/test/registries/suite'
export const REGISTRIES_SUITE_PACKAGES = resolve(REGISTRIES_SUITE_DIR, 'node_modules')

export interface ToolOutput {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export function runSuiteTool(name: string, args: readonly string[]): Promise<ToolOutput> {
  const { PATH = '' } = process.env
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { env: { PATH, ...quiet }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(
      join(REGISTRIES_SUITE_PACKAGES, '.bin', name),
      args,
      options,
      (error, stdout, stderr) => {
        const exitCode = error ? error.code : 0
        // Otherwise it did not start, or was stopped.
        if (typeof exitCode === 'number') resolve({ exitCode, stdout, stderr })
        else reject(error)
      },
    )
  })
}

/** In which programs find the packages of the suite; gone after the test. */
export async function createSuiteFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'registries-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await symlink(REGISTRIES_SUITE_PACKAGES, join(folder, 'node_modules'))
  return folder
}
