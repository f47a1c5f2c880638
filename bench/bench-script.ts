/** Runs another file of this folder as a process of its own, so that its CPU time is its own too. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export function spawnScript(file: string, env: Record<string, string>): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return spawn(process.execPath, [path], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** Runs it to its end. */
export async function runScript(file: string, env: Record<string, string>): Promise<void> {
  const [code] = await once(spawnScript(file, env), 'exit')
  if (code !== 0) throw new Error(`${file} ended with ${code}`)
}
