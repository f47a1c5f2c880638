/** promtool, Prometheus's checker of rules and expressions. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const PROMTOOL = 'promtool'

/** Returns the output of promtool, or null if it accepts the rules. JSON is valid YAML. */
export function promtoolErrors(command: 'check' | 'test', content: unknown): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-promtool-'))
  const file = join(folder, 'rules.yaml')
  writeFileSync(file, JSON.stringify(content))
  const { status, stdout, stderr } = spawnSync(PROMTOOL, [command, 'rules', file], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return status === 0 ? null : stdout + stderr
}
