import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { makeFolders } from './output-file.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-folders-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('folders are created', () => {
  test.each(['a', 'a/b/c', 'there', 'there/a/b/', 'link/a'])('for %s', (path) => {
    mkdirSync(join(folder, 'there'))
    symlinkSync('there', join(folder, 'link'))
    makeFolders(join(folder, path))
    makeFolders(join(folder, path))
    expect(existsSync(join(folder, path))).toBe(true)
  })

  test.each([
    ['file', 'EEXIST'],
    ['file/a', 'EEXIST'],
    ['nowhere/a', 'EEXIST'],
  ])('but not for %s', (path, code) => {
    writeFileSync(join(folder, 'file'), '')
    symlinkSync('missing', join(folder, 'nowhere'))
    expect(() => makeFolders(join(folder, path))).toThrow(expect.objectContaining({ code }))
  })
})

describe.runIf(platform() === 'linux')('a file system without room for folders', () => {
  const zone = 'acme.test. MX 10 mx.acme.test.'
  const path = '/proc/nope/x'

  test.each([
    ['plan', ['--out', path], `We couldn’t write ${path}: its folder doesn’t exist.\n`],
    ['watch', ['--state', path], `We couldn’t write the state file ${path} (ENOENT).`],
    ['scan', ['--out-dir', path], 'We couldn’t write /proc/nope: its folder doesn’t exist.\n'],
  ])('ends %s', async (command, options, message) => {
    const argument = command === 'scan' ? '-' : 'acme.test'
    const { exitCode, stderr } = await runMailgrade([command, argument, ...options], { zone })
    expect(stderr).toContain(message)
    expect(exitCode).toBe(2)
  })
})
