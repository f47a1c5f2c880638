/**
 * Finds fields that Kubernetes does not know. Validators let them pass, and so do many clusters; the
 * compiler does not, when the manifests are literals of Kubernetes's types.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

interface Typed {
  readonly apiVersion: string
  readonly kind: string
}

const OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext']

/** What the compiler has to say, or an empty text. */
export function findUnknownFields(manifests: readonly Typed[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-manifests-'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const file = join(folder, 'manifests.ts')
  writeFileSync(file, manifests.map(asLiteral).join(''))
  const compiler = resolve('node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, ...OPTIONS, file], {
    cwd: folder,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return stdout
}

function asLiteral(manifest: Typed, index: number): string {
  const { apiVersion, kind } = manifest
  const type = `import('kubernetes-models/${apiVersion}/${kind}').I${kind}`
  return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)}\n`
}
