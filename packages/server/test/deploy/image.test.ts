/** The image, built with the steps of the Dockerfile: its content, its start and its stop. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePorts } from '@mailgrade/testing/free-port'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import { type BuiltImage, buildImage, readDockerfile } from './build-image.js'
import { type DeployEnvironment, openDeployEnvironment } from './deploy-environment.js'
import { lastInstruction, parseExecForm, stageEnvironment } from './parse-dockerfile.js'

let image: BuiltImage
let environment: DeployEnvironment
beforeAll(async () => {
  image = buildImage()
  // Read-only even for the owner.
  execFileSync('chmod', ['-R', 'a-w', image.root])
  // A volume.
  execFileSync('chmod', ['u+w', dataDir()])
  environment = await openDeployEnvironment()
})
afterAll(async () => {
  await environment?.close()
  image?.remove()
})

const app = () => join(image.root, 'app')
const dataDir = () => join(image.root, stageEnvironment(image.stage).DATA_DIR ?? '')
const imageEnvironment = () => ({ ...stageEnvironment(image.stage), DATA_DIR: dataDir() })

/** Wraps a command to run as the user of the image, in its folder. */
function inImage(command: string[]): [string, ...string[]] {
  const [uid, gid] = lastInstruction(image.stage, 'USER').split(':')
  const user = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  // Only root can switch users; other users are unprivileged already.
  const [program = '', ...args] = process.getuid?.() === 0 ? user : []
  const run = ['env', '-C', app(), ...command]
  return program ? [program, ...args, ...run] : (run as [string, ...string[]])
}

async function startImage(env: Record<string, string>): Promise<ServiceProcess> {
  const command = inImage(parseExecForm(lastInstruction(image.stage, 'CMD')))
  const service = await startServiceProcess(env, command)
  onTestFinished(() => void service.process.kill('SIGKILL'))
  return service
}

test('uses a Node release line that the service supports', () => {
  const { NODE_IMAGE = '' } = readDockerfile().args
  const [, major] = /^node:(\d+)-bookworm-slim$/.exec(NODE_IMAGE) ?? []
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(Number(major)).toBeGreaterThan(Number.parseFloat(engines.node.slice(2)))
})

test('contains what the service reads, and nothing else', () => {
  expect(readdirSync(image.root)).toEqual(['app', 'data'])
  expect(readdirSync(app()).sort()).toEqual(['docs', 'node_modules', 'packages'])
  expect(readdirSync(join(app(), 'packages'))).toEqual(['server'])
  const server = join(app(), 'packages/server')
  const content = ['data', 'dist', 'package.json', 'public', 'share', 'zones']
  expect(readdirSync(server).sort()).toEqual(content)
  const isBundle = (name: string) => /\.c?js$/.test(name) || name === 'THIRD-PARTY-NOTICES.txt'
  expect(readdirSync(join(server, 'dist')).filter((name) => !isBundle(name))).toEqual([])
})

test('contains the packages that the service needs, and no others', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: LockedPackages
  }
  const all = Object.keys(packages).filter(
    (path) => path.startsWith('node_modules/') && !packages[path]?.link,
  )
  const closure = findNeeded(packages, 'packages/server')
  const [needed, others] = [
    all.filter((path) => closure.has(path)),
    all.filter((path) => !closure.has(path)),
  ]
  const installed = (paths: readonly string[]) =>
    paths.filter((path) => existsSync(join(app(), path)))
  expect([needed.length < 20, others.length > 100]).toEqual([true, true])
  expect(installed(others)).toEqual([])
  expect(installed(needed)).toEqual(needed)
})

type LockedPackages = Record<
  string,
  {
    readonly link?: true
    readonly resolved?: string
    readonly dependencies?: Record<string, string>
    readonly peerDependencies?: Record<string, string>
    readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
  }
>

/** Everything that a package of the lock file leads to, without what is optional. */
function findNeeded(packages: LockedPackages, start: string): ReadonlySet<string> {
  const found = new Set([start])
  for (const path of found) {
    const {
      dependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = packages[path] ?? {}
    const peers = Object.keys(peerDependencies).filter(
      (name) => !peerDependenciesMeta[name]?.optional,
    )
    for (const name of [...Object.keys(dependencies), ...peers]) {
      const at = locate(packages, path, name)
      const { link, resolved } = packages[at] ?? {}
      found.add(link && resolved ? resolved : at)
    }
  }
  return found
}

/** As Node looks for a package: in each folder upwards. */
function locate(packages: LockedPackages, from: string, name: string): string {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const path = `${folder}${folder && '/'}node_modules/${name}`
    if (packages[path] || folder === '') return path
  }
}

test('runs as the image user on a read-only tree, is healthy and exits 0 on SIGTERM', async () => {
  const [port] = await findFreePorts()
  const env = { ...imageEnvironment(), PORT: String(port) }
  const check = parseExecForm(lastInstruction(image.stage, 'HEALTHCHECK'))
  const health = () => {
    const [program, ...args] = inImage(check)
    return spawnSync(program, args, { env: { ...process.env, ...env } }).status
  }
  expect(health()).toBe(1)

  const { DOH_URLS = '' } = environment.env
  const service = await startImage({ DOH_URLS, ...env })
  expect(health()).toBe(0)
  const ready = await fetch(`${service.url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    { status: 'ready', payments: 'off' },
  ])
  // Guides, examples from the zones, and assets of the page.
  const paths = ['/docs/guides/payments', '/openapi.json', '/favicon.svg', '/']
  const responses = await Promise.all(paths.map((path) => fetch(service.url + path)))
  expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200))

  service.process.kill('SIGTERM')
  expect(await service.exitCode()).toBe(0)
  expect(health()).toBe(1)
})

test('sells nothing unless PAYMENTS says so', async () => {
  const [port] = await findFreePorts()
  const env = { ...environment.env, ...imageEnvironment(), PORT: String(port) }
  const [off, live] = await Promise.all([
    startImage(env),
    startImage({ ...env, PORT: '0', PAYMENTS: 'live' }),
  ])
  const statuses = [off, live].map(async ({ url }) => (await fetch(`${url}/v1/score`)).status)
  expect(await Promise.all(statuses)).toEqual([404, 402])
  expect(readdirSync(dataDir()).toSorted()).toEqual(['payments-1', 'payments-1.witness'])
})
