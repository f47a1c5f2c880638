/** Runs the tools of the suite as child processes without telemetry. */
import { execFile } from 'node:child_process'
import { mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const REGISTRIES_SUITE_PACKAGES = resolve(
  'packages/server/test/registries/suite/node_modules',
)

interface ToolOutput {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export function runSuiteTool(name: string, args: readonly string[]): Promise<ToolOutput> {
  const { PATH = '' } = process.env
  const noTelemetry = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { env: { PATH, ...noTelemetry }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(
      join(REGISTRIES_SUITE_PACKAGES, '.bin', name),
      args,
      options,
      (error, stdout, stderr) => {
        const exitCode = error ? error.code : 0
        // Without an exit code, it did not start or was aborted.
        if (typeof exitCode === 'number') resolve({ exitCode, stdout, stderr })
        else reject(error)
      },
    )
  })
}

/** A folder with the packages of the suite. */
export async function createSuiteFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'registries-'))
  await symlink(REGISTRIES_SUITE_PACKAGES, join(folder, 'node_modules'))
  return folder
}
