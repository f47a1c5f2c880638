/** The built `reconcile` command as a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export async function runReconcile(env: Record<string, string>, ...args: string[]) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['packages/server/dist/reconcile.js', ...args], {
    env: { PATH, ...env },
  })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, out, err, firstLine: out.split('\n')[0] }
}
