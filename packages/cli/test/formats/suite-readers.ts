/** Readers by others, installed as locked into a folder of their own, with the functions used here. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const SUITE = resolve('packages/cli/test/formats/suite')
const PACKAGES = join(SUITE, 'node_modules')
const MULTITOOL = join(PACKAGES, `@microsoft/sarif-multitool-${process.platform}`)

/** To update a reader, change `suite/package.json` and run `npm install --package-lock-only` there. */
export function installReaders(): void {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', args, { cwd: SUITE, stdio: 'inherit' })
}

/** The schema of OASIS. */
export function readSarifSchema(): object {
  return JSON.parse(readFileSync(join(MULTITOOL, 'sarif-2.1.0.json'), 'utf8'))
}

/** The ids of the rules of the SARIF validator that a file breaks, with those of GitHub. */
export function validateSarif(path: string): string[] {
  const program = join(MULTITOOL, 'Sarif.Multitool')
  // Its install script does this, but newer versions of npm do not run it.
  chmodSync(program, 0o755)
  const output = `${path}.validated`
  const args = ['validate', path, '--rule-kind', 'Sarif;Ghas', '--output', output]
  const { status, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1' },
  })
  if (status !== 0) throw new Error(`The validator ended with ${status}: ${stderr}`)
  const [{ results }] = JSON.parse(readFileSync(output, 'utf8').replace(/^\ufeff/, '')).runs
  return [...new Set<string>(results.map(({ ruleId }: { ruleId: string }) => ruleId))]
}

export interface JunitSuites {
  readonly tests: number
  readonly failures: number
  readonly errors: number
  readonly testsuite: readonly {
    readonly name: string
    readonly testcase: readonly {
      readonly name: string
      readonly failure?: readonly { readonly message: string; readonly type: string }[]
      readonly error?: readonly { readonly message: string; readonly type: string }[]
    }[]
  }[]
}

export async function readJunit(xml: string): Promise<JunitSuites> {
  const { parse } = await importReader('junit2json/dist/esm/index.js')
  return parse(xml)
}

/** HTML, with everything in it that GitHub would remove. */
export async function renderMarkdown(markdown: string): Promise<string> {
  const { micromark } = await importReader('micromark/index.js')
  const { gfm, gfmHtml } = await importReader('micromark-extension-gfm/index.js')
  return micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  })
}

function importReader(path: string) {
  return import(pathToFileURL(join(PACKAGES, path)).href)
}

export function runPython(program: string, input: string): unknown {
  return JSON.parse(
    execFileSync('python3', ['-c', program], {
      input,
      encoding: 'utf8',
      env: { PYTHONIOENCODING: 'utf-8' },
      maxBuffer: 64 * 1024 * 1024,
    }),
  )
}
