/** The tools of the suite, each a process of its own that talks to nobody but us. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

export const SUITE = 'packages/server/test/registries/suite'
export const SUITE_PACKAGES = resolve(SUITE, 'node_modules')

export interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export function runTool(name: string, args: readonly string[]): Promise<Ended> {
  const { PATH = '' } = process.env
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { env: { PATH, ...quiet }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(join(SUITE_PACKAGES, '.bin', name), args, options, (error, stdout, stderr) => {
      const exitCode = error ? error.code : 0
      // Otherwise it did not start, or was stopped.
      if (typeof exitCode === 'number') resolve({ exitCode, stdout, stderr })
      else reject(error)
    })
  })
}

/** In which programs find the packages of the suite; gone after the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'registries-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await symlink(SUITE_PACKAGES, join(folder, 'node_modules'))
  return folder
}
