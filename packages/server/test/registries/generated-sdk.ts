/** A client generated from the OpenAPI document, and programs that use it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExampleDocument, ExampleMediaType } from './sandbox-service.js'
import { createSuiteFolder, runSuiteTool } from './suite-tools.js'

const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2022', 'dom'],
  module: 'nodenext',
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  outDir: 'out',
}

/** Creates a project with the generated types in `schema.d.ts`. */
export async function generateSdk(document: ExampleDocument): Promise<string> {
  const folder = await createSuiteFolder()
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(document))
  const target = join(folder, 'schema.d.ts')
  const { exitCode, stderr } = await runSuiteTool('openapi-typescript', [file, '--output', target])
  if (exitCode !== 0) throw new Error(stderr)
  const config = { compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

/** Compiles the folder, and returns the errors as `file: message`. */
export async function compileSdk(folder: string): Promise<string[]> {
  const { stdout } = await runSuiteTool('tsc', ['--project', folder, '--pretty', 'false'])
  const errors = stdout.matchAll(/^(?:.*\/)?([^/]+)\(\d+,\d+\): error TS\d+: (.*)$/gm)
  return [...errors].map(([, file, message]) => `${file}: ${message}`)
}

/** A program that assigns every example of the document to its generated type. */
export function examplesSource({ paths }: ExampleDocument): string {
  const lines = Object.entries(paths).flatMap(([path, { get }]) =>
    Object.entries(get.responses).flatMap(([status, { content }]) =>
      Object.entries(content).flatMap(([type, media]) => {
        const generated = ['paths', path, 'get', 'responses', Number(status), 'content', type]
        return exampleValues(media).map(
          (value) => `${typeReference(generated)} = ${JSON.stringify(value)}`,
        )
      }),
    ),
  )
  const constants = lines.map((line, index) => `export const example${index}: ${line}\n`)
  return `import type { paths } from './schema.js'\n${constants.join('')}`
}

function exampleValues({ example, examples = {} }: ExampleMediaType): object[] {
  return [...(example ? [example] : []), ...Object.values(examples).map(({ value }) => value)]
}

function typeReference([first, ...steps]: readonly (string | number)[]): string {
  return `${first}${steps.map((step) => `[${JSON.stringify(step)}]`).join('')}`
}

interface SdkCall {
  readonly id: string
  readonly path: string
  readonly example: Readonly<Record<string, string>>
}

/** A program that calls every operation, one function each. */
export function callsSource(calls: readonly SdkCall[]): string {
  const functions = calls.map(
    ({ id, path, example }) => `
export async function ${id}(options: ClientOptions) {
  const client = createClient<paths>(options)
  const query = ${JSON.stringify(example)}
  const { data, error, response } = await client.GET('${path}', { params: { query } })
  return data ? { status: response.status, checkedAt: data.meta.checkedAt, body: data } : error.code
}`,
  )
  return `import createClient, { type ClientOptions } from 'openapi-fetch'
import type { paths } from './schema.js'
${functions.join('\n')}
`
}
