/** Whether weaknesses in what we install are seen, and what is said where nobody can be asked. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'

const BULK = '/-/npm/v1/security/advisories/bulk'
const BLIND = 'ADVISORIES COULD NOT BE LOOKED AT.'

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { version: string }>
}

/** As the registry tells of a weakness in whichever version is installed. */
function advisory(name: string, severity: string) {
  const url = `https://advisories.example/${name}`
  return { [name]: [{ id: 1, url, title: 'It leaks', severity, vulnerable_versions: '*' }] }
}

/** A registry that knows of these weaknesses, or will not be asked. */
async function startRegistry(advisories: object | null): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume()
    if (request.url === BULK && advisories === null) response.writeHead(405).end()
    else response.end(JSON.stringify(request.url === BULK ? advisories : releases(request.url)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function releases(url = '') {
  const name = decodeURIComponent(url.slice(1))
  const { version = '0.0.0' } = packages[`node_modules/${name}`] ?? {}
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } }
}

async function check(registry: string, env: Record<string, string> = {}) {
  const { PATH = '' } = process.env
  const home = mkdtempSync(join(tmpdir(), 'audit-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const child = spawn(process.execPath, ['scripts/check-advisories.mjs'], {
    env: { PATH, HOME: home, npm_config_registry: registry, ...env },
  })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { out, err, code }
}

describe('where the registry answers', () => {
  test('no advisory is no objection', async () => {
    const { code, out } = await check(await startRegistry({}))
    expect([code, out]).toEqual([0, 'production: no advisories\ndevelopment: no advisories\n'])
  })

  test.each(['high', 'critical'])('a %s one in production fails, by name', async (severity) => {
    const { code, out } = await check(await startRegistry(advisory('hono', severity)))
    expect(code).toBe(1)
    expect(out).toContain(
      `production: hono *, ${severity}: It leaks (https://advisories.example/hono)\n`,
    )
  })

  test('a moderate one in production is told, and no more', async () => {
    const { code, out } = await check(await startRegistry(advisory('hono', 'moderate')))
    expect(code).toBe(0)
    expect(out).toContain('production: hono *, moderate: It leaks')
  })

  test('in what only developers run, a high one is told and a critical one fails', async () => {
    const high = await check(await startRegistry(advisory('vitest', 'high')))
    expect([high.code, high.out]).toEqual([
      0,
      expect.stringMatching(/^production: no advisories\ndevelopment: vitest \*, high: It leaks/),
    ])
    const critical = await check(await startRegistry(advisory('vitest', 'critical')))
    expect(critical.code).toBe(1)
  })
})

describe('where it does not', () => {
  test('not knowing is not called knowing of none', async () => {
    const { code, out, err } = await check(await startRegistry(null))
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/^405 Method Not Allowed/)
    expect(err).toContain(BLIND)
  })

  test('an offline machine says the same', async () => {
    const { code, out, err } = await check('http://127.0.0.1:9')
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain(BLIND)
  })

  test('and fails where it must be known', async () => {
    const { code, err } = await check('http://127.0.0.1:9', { AUDIT_REQUIRED: '1' })
    expect(code).toBe(1)
    expect(err).toContain(BLIND)
  })
})
