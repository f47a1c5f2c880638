/** Prometheus's own judge of rules and expressions. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const PROMTOOL = 'promtool'

/** What promtool has to say, or null when it has no complaint. The content is JSON, which is YAML. */
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
