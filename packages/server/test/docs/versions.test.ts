/** A release has one version everywhere. The API has its own, which is 1.0.0 by contract. */
import { readdirSync, readFileSync } from 'node:fs'
import { RELEASE_VERSION } from '@mailgrade/operations/release-version'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { serverCard } from '../../src/mcp/server-card.js'

const HEADINGS = [
  ...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## \[(.+)\] - (\d{4}-\d{2}-\d{2})$/gm),
].map(([, version, date = '']) => ({ version, date }))

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

test('the newest entry of the changelog is the version of the release', () => {
  expect(HEADINGS[0]?.version).toBe(RELEASE_VERSION)
})

test('every heading of the changelog has a version and a date, newest first', () => {
  const all = readFileSync('CHANGELOG.md', 'utf8').match(/^## /gm)
  expect(HEADINGS).toHaveLength(all?.length ?? 0)
  const dates = HEADINGS.map(({ date }) => date)
  expect(dates).toEqual([...dates].sort().reverse())
})

test('every package, the lock file and what packages ask of each other', () => {
  const folders = ['.', ...readdirSync('packages').map((name) => `packages/${name}`)]
  const lock = readJson('package-lock.json')
  for (const folder of folders) {
    const { version, dependencies, devDependencies } = readJson(`${folder}/package.json`)
    const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith('@mailgrade/'),
    )
    const locked = lock.packages[folder === '.' ? '' : folder].version
    const found = [version, locked, ...ours.map(([, wanted]) => wanted)]
    expect([folder, ...new Set(found)]).toEqual([folder, RELEASE_VERSION])
  }
})

test('the registry entry, the server card and the image that Kubernetes runs', () => {
  const card = serverCard({ baseUrl: 'https://x.example', name: 'Mailgrade', siteUrl: null })
  const { images } = parse(readFileSync('deploy/kubernetes/kustomization.yaml', 'utf8'))
  expect(readJson('server.json').version).toBe(RELEASE_VERSION)
  expect(card).toMatchObject({ version: RELEASE_VERSION })
  expect(images).toMatchObject([{ newTag: RELEASE_VERSION }])
})
