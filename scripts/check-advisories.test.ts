/** `scripts/check-advisories.mjs` with registries that know advisories, know none or do not answer. */
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
const UNKNOWN = 'ADVISORIES UNKNOWN'

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { version: string }>
}

/** An advisory of the registry for every version of a package. */
function advisory(name: string, severity: string) {
  const url = `https://advisories.example/${name}`
  return { [name]: [{ id: 1, url, title: 'Leaks memory', severity, vulnerable_versions: '*' }] }
}

/** A registry with these advisories; null: it rejects the request. */
async function startRegistry(advisories: object | null): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume()
    if (request.url === BULK && advisories === null) response.writeHead(405).end()
    else response.end(JSON.stringify(request.url === BULK ? advisories : releases(request.url)))
  })
  // npm may take longer between two requests, and fails if the server closes the connection then.
  server.keepAliveTimeout = 0
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

describe('registry that answers', () => {
  test('passes without advisories', async () => {
    const { code, out } = await check(await startRegistry({}))
    expect([code, out]).toEqual([0, 'production: no advisories\ndevelopment: no advisories\n'])
  })

  test.each(['high', 'critical'])(
    'fails on a %s advisory in production and names the package',
    async (severity) => {
      const { code, out } = await check(await startRegistry(advisory('hono', severity)))
      expect(code).toBe(1)
      expect(out).toContain(
        `production: hono *, ${severity}: Leaks memory (https://advisories.example/hono)\n`,
      )
    },
  )

  test('prints a moderate advisory in production without failing', async () => {
    const { code, out } = await check(await startRegistry(advisory('hono', 'moderate')))
    expect(code).toBe(0)
    expect(out).toContain('production: hono *, moderate: Leaks memory')
  })

  test('in development packages only a critical advisory fails', async () => {
    const high = await check(await startRegistry(advisory('vitest', 'high')))
    expect([high.code, high.out]).toEqual([
      0,
      expect.stringMatching(
        /^production: no advisories\ndevelopment: vitest \*, high: Leaks memory/,
      ),
    ])
    const critical = await check(await startRegistry(advisory('vitest', 'critical')))
    expect(critical.code).toBe(1)
  })
})

describe('registry that does not answer', () => {
  test('warns that advisories are unknown', async () => {
    const { code, out, err } = await check(await startRegistry(null))
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/^405 Method Not Allowed/)
    expect(err).toContain(UNKNOWN)
  })

  test('warns when offline', async () => {
    const { code, out, err } = await check('http://127.0.0.1:9')
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain(UNKNOWN)
  })

  test('fails with AUDIT_REQUIRED=1', async () => {
    const { code, err } = await check('http://127.0.0.1:9', { AUDIT_REQUIRED: '1' })
    expect(code).toBe(1)
    expect(err).toContain(UNKNOWN)
  })
})
