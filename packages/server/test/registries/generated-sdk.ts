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

export interface CompiledSdk {
  /** With the compiled programs in `out`. */
  readonly folder: string
  /** Each as `file: message`. */
  readonly errors: readonly string[]
}

/** Generates the types from the document, and compiles these programs with them. */
export async function compileSdk(
  document: ExampleDocument,
  programs: Readonly<Record<string, string>>,
): Promise<CompiledSdk> {
  const folder = await createSuiteFolder()
  const write = (file: string, text: string) => writeFile(join(folder, file), text)
  await write('openapi.json', JSON.stringify(document))
  const paths = [join(folder, 'openapi.json'), '--output', join(folder, 'schema.d.ts')]
  const { exitCode, stderr } = await runSuiteTool('openapi-typescript', paths)
  if (exitCode !== 0) throw new Error(stderr)
  await write('package.json', '{"type":"module"}')
  await write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }),
  )
  for (const [file, program] of Object.entries(programs)) await write(file, program)
  const { stdout } = await runSuiteTool('tsc', ['--project', folder, '--pretty', 'false'])
  const errors = stdout.matchAll(/^(?:.*\/)?([^/]+)\(\d+,\d+\): error TS\d+: (.*)$/gm)
  return { folder, errors: [...errors].map(([, file, message]) => `${file}: ${message}`) }
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
