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
  readonly strategy?: { readonly matrix: Matrix }
}

interface Matrix {
  readonly node?: readonly number[]
  readonly include?: readonly { readonly suite: string; readonly packages?: string }[]
}

const YAML_FILES = readdirSync('.github', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ya?ml$/.test(file))
  .map((file) => join('.github', file))

const SCRIPTS = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts)
const CI_SCRIPT = readFileSync('.ci/run', 'utf8')

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

test('every change runs check, test, service and browser in parallel', () => {
  const { jobs } = readWorkflow('ci')
  expect(Object.keys(jobs)).toEqual(['check', 'test', 'service', 'browser'])
  expect(jobs.test?.strategy?.matrix.node).toEqual([20, 22, 24])
})

test('every suite runs in a workflow, and every script that a workflow runs exists', () => {
  const ci = Object.values(readWorkflow('ci').jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run = '' }) => [...run.matchAll(/npm run (\S+)/g)].map(([, name]) => name)),
  )
  const suites = readWorkflow('nightly').jobs.suite?.strategy?.matrix.include ?? []
  const run = [...ci, ...suites.map(({ suite }) => `test:${suite}`)]
  expect(run.filter((name) => !SCRIPTS.includes(name ?? ''))).toEqual([])
  expect(SCRIPTS.filter((name) => name.startsWith('test:') && !run.includes(name))).toEqual([])
})

test('the devcontainer has every program that .ci/run installs', () => {
  const dockerfile = readFileSync('.devcontainer/Dockerfile', 'utf8')
  const { build } = JSON.parse(readFileSync('.devcontainer/devcontainer.json', 'utf8'))
  const conveniences = ['jq', 'sudo']
  expect(build.dockerfile).toBe('Dockerfile')
  expect(dockerfile).toMatch(/^FROM node:20-/m)
  expect(new Set(installedPackages(dockerfile))).toEqual(
    new Set([...installedPackages(CI_SCRIPT), ...conveniences]),
  )
})

test('the nightly suites install only programs that .ci/run knows', () => {
  const suites = readWorkflow('nightly').jobs.suite?.strategy?.matrix.include ?? []
  const known = new Set(installedPackages(CI_SCRIPT))
  const installed = suites.flatMap(({ packages = '' }) => packages.split(' ').filter(Boolean))
  expect(installed.length).toBeGreaterThan(10)
  expect(installed.filter((name) => !known.has(name))).toEqual([])
})
