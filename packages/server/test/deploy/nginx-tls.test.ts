/** nginx with TLS, as mailgrade.conf tells the operator to have it. */
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type NginxServer, startNginxServer } from '../support/nginx-server.js'
import { startStubServer } from './stub-server.js'

/** One line deleted, and the hash signs taken away from what is no sentence. */
function asTold(config: string): string {
  const [ours = '', redirects = ''] = config.split(/^(?=# server \{)/m)
  const listens = ours
    .replace(/^ {2}listen 8080;\n/m, '')
    .replaceAll(/^( *)# (?=(listen 8443|ssl_))/gm, '$1')
  return listens + redirects.replaceAll(/^# /gm, '')
}

let nginx: NginxServer
beforeEach(async () => {
  const instance = await startStubServer((request, response) => void response.end(request.url))
  nginx = await startNginxServer({ instances: [instance.host], edit: asTold })
  onTestFinished(nginx.stop)
})

const overTls = (path: string) =>
  new Promise<string>((resolve, reject) => {
    https
      .get(nginx.tlsUrl + path, { ca: nginx.ca }, (response) => resolve(text(response)))
      .on('error', reject)
  })

test('TLS ends at nginx', async () => {
  expect(await overTls('/v1/mx?domain=acme.example')).toBe('/v1/mx?domain=acme.example')
})

test('whoever comes without it is sent there, and not written down', async () => {
  const path = '/v1/mx?domain=acme.example'
  const plain = await fetch(nginx.url + path, { redirect: 'manual' })
  const { status, headers } = plain
  expect([status, headers.get('location')]).toEqual([308, `https://127.0.0.1${path}`])
  await overTls('/afterwards')
  expect(await nginx.accessLog(1)).toMatchObject([{ path: '/afterwards' }])
})

test('the health check of the compose file still gets its answer', async () => {
  const healthy = await fetch(`${nginx.url}/healthz`, { redirect: 'manual' })
  expect([healthy.status, await healthy.text()]).toEqual([200, '/healthz'])
})
