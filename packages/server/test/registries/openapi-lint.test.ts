/** The OpenAPI document under the recommended rules of Redocly, with examples checked by schema. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  type ExampleDocument,
  exampleReport,
  type SandboxService,
  startSandboxService,
} from './sandbox-service.js'
import { createSuiteFolder, runSuiteTool } from './suite-tools.js'

const CONFIG = 'packages/server/test/registries/redocly.yaml'
const BODY = 'content/application~1json'

let sandbox: SandboxService
beforeAll(async () => {
  sandbox = await startSandboxService()
})
afterAll(() => void sandbox?.process.kill('SIGKILL'))

test('Redocly reports no problem', async () => {
  expect(await lint(sandbox.document)).toEqual([])
})

test('reports an example that does not match its schema', async () => {
  const document = structuredClone(sandbox.document)
  const range = { min: 1, max: 2, stars: 5 }
  Object.assign(exampleReport(document, '/v1/score'), { score: '94', range })
  expect(await lint(document)).toEqual([
    `no-invalid-media-type-examples #/paths/~1v1~1score/get/responses/200/${BODY}/example/range/stars`,
    `no-invalid-media-type-examples #/paths/~1v1~1score/get/responses/200/${BODY}/example/score`,
  ])
})

interface LintProblem {
  readonly ruleId: string
  readonly location: readonly { readonly pointer?: string }[]
}

/** Errors and warnings, with their JSON pointers. */
async function lint(document: ExampleDocument): Promise<string[]> {
  const folder = await createSuiteFolder()
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(document))
  const { stdout } = await runSuiteTool('redocly', [
    'lint',
    file,
    '--config',
    CONFIG,
    '--format=json',
  ])
  const { problems } = JSON.parse(stdout) as { problems: LintProblem[] }
  return problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`).sort()
}
