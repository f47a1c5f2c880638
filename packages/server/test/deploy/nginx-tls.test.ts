/** nginx with TLS, set up as the comments of mailgrade.conf say. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:http2'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type NginxServer, startNginxServer } from '../support/nginx-server.js'
import { startStubServer } from './stub-server.js'

/** Deletes one line, and uncomments the directives. */
function enableTls(config: string): string {
  const [main = '', redirects = ''] = config.split(/^(?=# server \{)/m)
  const listens = main
    .replace(/^ {2}listen 8080;\n/m, '')
    .replaceAll(/^( *)# (?=(listen 8443|http2 on|ssl_))/gm, '$1')
  return listens + redirects.replaceAll(/^# /gm, '')
}

let nginx: NginxServer
beforeEach(async () => {
  const instance = await startStubServer((request, response) => void response.end(request.url))
  nginx = await startNginxServer({ instances: [instance.host], edit: enableTls })
  onTestFinished(nginx.stop)
})

const fetchOverTls = (path: string) =>
  new Promise<string>((resolve, reject) => {
    https
      .get(nginx.tlsUrl + path, { ca: nginx.ca }, (response) => resolve(text(response)))
      .on('error', reject)
  })

test('terminates TLS', async () => {
  expect(await fetchOverTls('/v1/mx?domain=acme.example')).toBe('/v1/mx?domain=acme.example')
})

test('uses current syntax, and speaks HTTP/2', async () => {
  const config = readFileSync('deploy/nginx/mailgrade.conf', 'utf8')
  expect(config).toMatch(/^ {2}# listen 8443 ssl;\n {2}# http2 on;$/m)
  const session = connect(nginx.tlsUrl, { ca: nginx.ca })
  onTestFinished(() => session.destroy())
  const stream = session.request({ ':path': '/v1/mx?domain=acme.example' })
  expect(await text(stream)).toBe('/v1/mx?domain=acme.example')
  expect(session.alpnProtocol).toBe('h2')
})

test('redirects HTTP to HTTPS without logging', async () => {
  const path = '/v1/mx?domain=acme.example'
  const { status, headers } = await fetch(nginx.url + path, { redirect: 'manual' })
  expect([status, headers.get('location')]).toEqual([308, `https://127.0.0.1${path}`])
  await fetchOverTls('/afterwards')
  expect(await nginx.accessLog(1)).toMatchObject([{ path: '/afterwards' }])
})

test('answers the health check of the compose file over HTTP', async () => {
  const healthy = await fetch(`${nginx.url}/healthz`, { redirect: 'manual' })
  expect([healthy.status, await healthy.text()]).toEqual([200, '/healthz'])
})
