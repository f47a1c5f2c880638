/** Workflows, templates and the devcontainer parse, and name scripts and programs that exist. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Workflow {
  readonly jobs: Record<string, Job>
}

interface Job {
  readonly steps: readonly { readonly run?: string }[]
  readonly strategy?: { readonly matrix: { readonly node?: readonly number[] } }
}

const YAML_FILES = readdirSync('.github', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ya?ml$/.test(file))
  .map((file) => join('.github', file))

const SCRIPTS = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts)
const CI_FILES = ['.ci/run', '.ci/nightly', '.ci/install-packages']

function readWorkflow(name: string): Workflow {
  return parse(readFileSync(`.github/workflows/${name}.yml`, 'utf8'))
}

/** Names of Debian packages after `apt-get install` and its options. */
function installedPackages(text: string): string[] {
  const commands = text.replaceAll('\\\n', ' ').matchAll(/apt-get install ([^&>\n]*)/g)
  return [...commands].flatMap(([, args = '']) =>
    args.split(/\s+/).filter((word) => /^[a-z]/.test(word)),
  )
}

test.each(YAML_FILES)('%s is valid YAML with content', (file) => {
  expect(parse(readFileSync(file, 'utf8'), { strict: true })).toBeTypeOf('object')
})

test('a change runs .ci/run, and the unit tests on the other Nodes', () => {
  const { jobs } = readWorkflow('ci')
  expect(jobs.run?.steps.map(({ run }) => run)).toContain('.ci/run')
  expect(jobs.test?.strategy?.matrix.node).toEqual([22, 24])
})

test('every suite runs before a change lands or every night, and every script that runs exists', () => {
  const workflows = readdirSync('.github/workflows').map((file) => join('.github/workflows', file))
  const texts = [...CI_FILES, ...workflows].map((file) => readFileSync(file, 'utf8'))
  const named = texts.flatMap((text) => [
    ...[...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/^(check|test:\w+)$/gm)].map(([, name = '']) => name),
  ])
  expect(named.filter((name) => !SCRIPTS.includes(name))).toEqual([])
  expect(SCRIPTS.filter((name) => name.startsWith('test:') && !named.includes(name))).toEqual([])
})

test('the devcontainer has every program that the suites use', () => {
  const dockerfile = readFileSync('.devcontainer/Dockerfile', 'utf8')
  const { build } = JSON.parse(readFileSync('.devcontainer/devcontainer.json', 'utf8'))
  const conveniences = ['jq', 'sudo']
  expect(build.dockerfile).toBe('Dockerfile')
  expect(dockerfile).toMatch(/^FROM node:20-/m)
  expect(new Set(installedPackages(dockerfile))).toEqual(
    new Set([...installedPackages(readFileSync('.ci/install-packages', 'utf8')), ...conveniences]),
  )
})
