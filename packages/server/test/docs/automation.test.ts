/** Workflows, templates and the devcontainer parse, and name scripts and programs that exist. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

type Permissions = Readonly<Record<string, 'read' | 'write'>>

interface Workflow {
  readonly permissions: Permissions
  readonly jobs: Record<string, Job>
}

interface Step {
  readonly run?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Permissions
  readonly steps: readonly Step[]
  readonly strategy?: { readonly matrix: { readonly node?: readonly number[] } }
}

const YAML_FILES = readdirSync('.github', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ya?ml$/.test(file))
  .map((file) => join('.github', file))

const SCRIPTS = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts)
const RELEASE_TEXT = readFileSync('.github/workflows/release.yml', 'utf8')
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

describe('a release', () => {
  const { permissions, jobs } = readWorkflow('release')
  const stepsOf = (name: string) => jobs[name]?.steps ?? []

  test('is published only after the checks and tests have passed', () => {
    const commands = stepsOf('test').map(({ run }) => run)
    expect(commands).toEqual(expect.arrayContaining(['npm run check', 'npm test']))
    const needs = Object.entries(jobs).map(([name, job]) => [name, job.needs])
    expect(Object.fromEntries(needs)).toEqual({
      test: undefined,
      npm: 'test',
      image: 'test',
      github: ['npm', 'image'],
    })
  })

  test('gives each job only the permissions that it needs, and no secret', () => {
    expect(permissions).toEqual({ contents: 'read' })
    const byJob = Object.entries(jobs).map(([name, job]) => [name, job.permissions])
    expect(Object.fromEntries(byJob)).toEqual({
      test: undefined,
      npm: { contents: 'read', 'id-token': 'write' },
      image: { contents: 'read', packages: 'write' },
      github: { contents: 'write' },
    })
    expect(RELEASE_TEXT).not.toContain('secrets.')
  })

  test('publishes to npm from a Node whose npm needs no token', () => {
    const setup = stepsOf('npm').find(({ uses }) => uses?.startsWith('actions/setup-node@'))
    expect(setup?.with?.['node-version']).toBe(24)
    expect(stepsOf('npm').map(({ run }) => run)).toContain('npm run release')
  })

  test('says of the image where it comes from and what is in it', () => {
    const build = stepsOf('image').find(({ uses }) => uses?.startsWith('docker/build-push-action@'))
    expect(build?.with).toMatchObject({ push: true, provenance: 'mode=max', sbom: true })
  })

  test('names no owner', () => {
    expect(RELEASE_TEXT).toMatch(/ghcr\.io\/\$\{GITHUB_REPOSITORY,,\}/)
    expect(RELEASE_TEXT).not.toMatch(/(?:ghcr\.io|github\.com)\/\w/)
  })
})
