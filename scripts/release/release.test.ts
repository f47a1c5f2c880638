import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: the scripts are JavaScript
type Script = Record<string, any>

let versions: Script
let files: Script

const importScript = (name: string): Promise<Script> => import(new URL(name, import.meta.url).href)

beforeAll(async () => {
  versions = await importScript('versions.mjs')
  files = await importScript('published-files.mjs')
})

describe('versions', () => {
  const read = (file: string) => readFileSync(file, 'utf8')
  const folders = readdirSync('packages').map((name) => `packages/${name}`)

  test('are read from every file that names one', () => {
    const { version } = JSON.parse(read('package.json'))
    const listed: [string, string][] = versions.listVersions(read, folders)
    expect(listed.map(([file]) => file)).toEqual([
      'package.json',
      ...folders.map((folder) => `${folder}/package.json`),
      'server.json',
      'action.yml',
      'docs/github-action.md',
      'docs/github-action.md',
      'deploy/kubernetes/kustomization.yaml',
      'CHANGELOG.md',
    ])
    expect(new Set(listed.map(([, found]) => found))).toEqual(new Set([version]))
  })

  test('that differ are named', () => {
    const listed = [
      ['package.json', '1.2.0'],
      ['server.json', '1.1.0'],
      ['CHANGELOG.md', 'Unreleased'],
    ]
    expect(versions.findMismatches('1.2.0', listed)).toEqual([
      'server.json has 1.1.0 instead of 1.2.0.',
      'CHANGELOG.md has Unreleased instead of 1.2.0.',
    ])
  })

  test('must be the one of the tag', () => {
    expect(versions.findMismatches('1.2.0', [], 'v1.2.0')).toEqual([])
    expect(versions.findMismatches('1.2.0', [], 'v1.2')).toEqual([
      'The tag is v1.2 instead of v1.2.0.',
    ])
  })
})

describe('the repository', () => {
  test('is the one whose workflow runs, whatever the origin is', () => {
    const env = { GITHUB_REPOSITORY: 'owner/name' }
    expect(files.findRepository(env, 'https://github.com/fork/name.git')).toBe('owner/name')
  })

  test.each([
    ['https://github.com/owner/name', 'owner/name'],
    ['https://github.com/owner/name.git', 'owner/name'],
    ['git@github.com:owner/name.git', 'owner/name'],
    ['ssh://git@github.com/owner/my.name', 'owner/my.name'],
    ['https://git.example/owner/name.git', null],
    ['https://git.example/github.com/owner/name.git', null],
    ['', null],
  ])('of the origin %j is %j', (origin, expected) => {
    expect(files.findRepository({}, origin)).toBe(expected)
  })
})

describe('package.json', () => {
  const manifest = { name: 'mailgrade', version: '1.2.0', devDependencies: { core: '1.2.0' } }

  test('names the repository in three fields', () => {
    expect(files.completeManifest(manifest, 'owner/name')).toEqual({
      name: 'mailgrade',
      version: '1.2.0',
      homepage: 'https://github.com/owner/name#readme',
      bugs: { url: 'https://github.com/owner/name/issues' },
      repository: {
        type: 'git',
        url: 'git+https://github.com/owner/name.git',
        directory: 'packages/cli',
      },
    })
  })

  test('leaves them out if the repository is unknown', () => {
    expect(files.completeManifest(manifest, null)).toEqual({ name: 'mailgrade', version: '1.2.0' })
  })
})

describe('links of the README', () => {
  const text = 'See [the `guide`](../../docs/a.md#b), [this](#c) and [that](https://x.example/d).'

  test('lead to the files of the version', () => {
    expect(files.resolveLinks(text, 'owner/name', '1.2.0')).toBe(
      'See [the `guide`](https://github.com/owner/name/blob/v1.2.0/docs/a.md#b), [this](#c) and [that](https://x.example/d).',
    )
  })

  test('become text if the repository is unknown', () => {
    expect(files.resolveLinks(text, null, '1.2.0')).toBe(
      'See the `guide`, [this](#c) and [that](https://x.example/d).',
    )
  })
})
