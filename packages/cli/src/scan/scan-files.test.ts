import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockOutput } from './scan-files.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Every platform but Windows and Linux has what macOS has: a socket is a file. */
describe.each(['linux', 'darwin'] as const)('on %s, an output', (platform) => {
  const lock = (name: string) => lockOutput(join(folder, name), platform)

  test('is locked until it is released', async () => {
    const first = await lock('out.csv')
    await expect(lock('out.csv')).rejects.toThrow(
      `Another scan is writing to ${folder}/out.csv. Wait for it to finish, or choose a different output.`,
    )
    const other = await lock('other.csv')
    first.release()
    const second = await lock('out.csv')
    other.release()
    second.release()
  })

  test('is locked under all its names', async () => {
    writeFileSync(join(folder, 'out.csv'), '')
    mkdirSync(join(folder, 'below'))
    symlinkSync('out.csv', join(folder, 'link.csv'))
    const first = await lock('below/../link.csv')
    await expect(lock('out.csv')).rejects.toThrow('Another scan is writing')
    first.release()
  })

  test('is locked under all its names before it exists', async () => {
    symlinkSync('new.csv', join(folder, 'link.csv'))
    const first = await lock('link.csv')
    await expect(lock('new.csv')).rejects.toThrow('Another scan is writing')
    first.release()
  })

  test('is free again after the process that locked it was killed', async () => {
    const path = join(folder, 'out.csv')
    const name = `mailgrade-scan-${hash('sha256', path, 'hex').slice(0, 32)}`
    const address = platform === 'linux' ? `\\0${name}` : join(tmpdir(), name)
    const code = `require('net').createServer().listen('${address}', () => console.log('locked'))`
    const holder = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    await expect(lock('out.csv')).rejects.toThrow('Another scan is writing')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const next = await lock('out.csv')
    next.release()
  })
})
