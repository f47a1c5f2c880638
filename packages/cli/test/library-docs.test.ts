import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readDocumentedExamples } from './support/documented-examples.js'

test('every TypeScript example of the documentation compiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-examples-'))
  try {
    const typeRoots = [resolve('node_modules/@types')]
    const config = { extends: resolve('tsconfig.json'), compilerOptions: { typeRoots } }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, include: ['*.ts'] }))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    for (const [index, { code }] of readDocumentedExamples().entries()) {
      writeFileSync(join(folder, `example-${index}.ts`), code)
    }
    const tsc = resolve('node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc], { cwd: folder, encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
