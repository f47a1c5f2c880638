/** The image, built by the Dockerfile's own steps: what is in it, and how it lives and ends. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePorts } from '@mailgrade/testing/free-port'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServiceProcess } from '../support/service-process.js'
import { type BuiltImage, buildImage, readDockerfile } from './build-image.js'
import { type DeployEnvironment, openDeployEnvironment } from './deploy-environment.js'
import { lastInstruction, parseExecForm, stageEnvironment } from './parse-dockerfile.js'

let image: BuiltImage
let stand: DeployEnvironment
beforeAll(async () => {
  image = buildImage()
  // Nobody can write here, not even its owner.
  execFileSync('chmod', ['-R', 'a-w', image.root])
  stand = await openDeployEnvironment()
}, 600_000)
afterAll(async () => {
  await stand?.close()
  image?.remove()
})

const app = () => join(image.root, 'app')

/** As the user of the image, in its folder, without a shell. */
function inside(command: string[]): [string, ...string[]] {
  const [uid, gid] = lastInstruction(image.stage, 'USER').split(':')
  const user = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  // Who is not root here cannot become somebody else, and is unprivileged already.
  const [program = '', ...args] = process.getuid?.() === 0 ? user : []
  const there = ['env', '-C', app(), ...command]
  return program ? [program, ...args, ...there] : (there as [string, ...string[]])
}

test('is pinned to a line of Node that the service supports', () => {
  const { NODE_IMAGE = '' } = readDockerfile().args
  const [, major] = /^node:(\d+)-bookworm-slim$/.exec(NODE_IMAGE) ?? []
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(Number(major)).toBeGreaterThan(Number.parseFloat(engines.node.slice(2)))
})

test('holds what the service reads, and nothing else', () => {
  expect(readdirSync(image.root)).toEqual(['app'])
  expect(readdirSync(app()).sort()).toEqual(['docs', 'node_modules', 'packages'])
  const folders = ['core', 'doh', 'server'].map((name) => [
    name,
    readdirSync(join(app(), 'packages', name)).sort(),
  ])
  expect(Object.fromEntries(folders)).toEqual({
    core: ['dist', 'package.json'],
    doh: ['dist', 'package.json'],
    server: ['dist', 'package.json', 'public', 'zones'],
  })
  const tests = readdirSync(join(app(), 'packages'), { recursive: true }).filter((path) =>
    /\.test\.[jt]s|tsbuildinfo/.test(String(path)),
  )
  expect(tests).toEqual([])
})

test('holds every package of production and none of development', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true; optional?: true; link?: true }>
  }
  const all = Object.entries(packages).filter(
    ([path, { link }]) => path.startsWith('node_modules/') && !link,
  )
  const isNeeded = ([, { dev, devOptional, optional }]: (typeof all)[number]) =>
    !(dev || devOptional || optional)
  const [needed, others] = [all.filter(isNeeded), all.filter((one) => !isNeeded(one))]
  const areThere = (list: typeof all) => list.filter(([path]) => existsSync(join(app(), path)))
  expect([needed.length > 50, others.length > 100]).toEqual([true, true])
  expect(areThere(others)).toEqual([])
  expect(areThere(needed)).toEqual(needed)
})

test('starts as nobody in particular in a tree it cannot write to, is healthy, and ends when told', async () => {
  const [port] = await findFreePorts()
  const env = { ...stageEnvironment(image.stage), PORT: String(port) }
  const check = parseExecForm(lastInstruction(image.stage, 'HEALTHCHECK'))
  const health = () => {
    const [program, ...args] = inside(check)
    return spawnSync(program, args, { env: { ...process.env, ...env } }).status
  }
  expect(health()).toBe(1)

  const service = await startServiceProcess(
    { ...stand.env, ...env },
    inside(parseExecForm(lastInstruction(image.stage, 'CMD'))),
  )
  onTestFinished(() => void service.process.kill('SIGKILL'))
  expect(health()).toBe(0)
  const ready = await fetch(`${service.url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }])
  // Guides, examples from the zones, and what a page brings along.
  const reads = ['/docs/guides/payments', '/openapi.json', '/favicon.svg', '/']
  const answers = await Promise.all(reads.map((path) => fetch(service.url + path)))
  expect(answers.map(({ status }) => status)).toEqual(reads.map(() => 200))

  service.process.kill('SIGTERM')
  expect(await service.exitCode()).toBe(0)
  expect(health()).toBe(1)
})
