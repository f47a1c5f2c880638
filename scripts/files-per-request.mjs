/**
 * Counts our files with executed code during one warm request of each kind, from the socket to a
 * DoH server and the sandbox's chain, and the files that a scan loads: `npm run trace-files --
 * [path of a built checkout]`. With --list it names the files.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Today, and before the split into packages. */
const ENTRY_FILES = ['packages/server/build/main.js', 'packages/server/dist/main.js']
const WARM_UPS = 20
/** For work that follows the response, such as the access log. */
const SETTLE_MS = 300
/** Not under .test: the sandbox answers for .test itself. */
const DOMAIN = 'lookups.example'

if (process.env.FILES_PER_REQUEST_CHILD) await reportExecutedFiles()
else await main(process.argv.slice(2))

/** Runs as a preload in the service: reports over IPC which files ran since the last message. */
async function reportExecutedFiles() {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  process.on('message', async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const executed = result.filter(({ functions }) =>
      functions.some(({ ranges }) => ranges[0].count > 0),
    )
    process.send(executed.map(({ url }) => url))
  })
  process.on('disconnect', () => process.exit())
}

async function main(args) {
  const [folder = '.'] = args.filter((arg) => !arg.startsWith('--'))
  const checkout = realpathSync(folder)
  const entry = ENTRY_FILES.map((file) => join(checkout, file)).find(existsSync)
  if (!entry) throw new Error(`${checkout} has no build; run "npm run build" there first`)
  const resolver = await startResolver()
  const service = await startService(checkout, entry, resolver.env)
  const print = (name, files) => {
    const sandbox = files.filter((file) => file.includes('/sandbox/'))
    const doh = files.filter((file) => /\b(doh|dns)\//.test(file))
    const counts = `${files.length} files, ${doh.length} of the DNS client, ${sandbox.length} of the sandbox`
    process.stdout.write(`${name.padEnd(24)}${counts}\n`)
    if (args.includes('--list')) process.stdout.write(`  ${files.join('\n  ')}\n`)
  }
  try {
    const requests = await createRequests(service.url)
    for (const [name, send] of Object.entries(requests)) {
      for (let run = 0; run < WARM_UPS; run++) await send()
      await delay(SETTLE_MS)
      await service.takeFiles()
      await send()
      await delay(SETTLE_MS)
      const files = await service.takeFiles()
      print(name, files)
    }
    print('mailgrade scan', await traceScan(checkout, resolver))
  } finally {
    service.stop()
    await resolver.stop()
  }
}

/** A DoH server on loopback with the records of a demo domain. */
async function startResolver() {
  const { startDohServer } = await import('@mailgrade/testing/doh-server')
  const { createTestCertificate } = await import('@mailgrade/testing/server-directory')
  const readZone = (name) =>
    readFileSync(new URL(`../packages/server/zones/${name}.zone`, import.meta.url), 'utf8')
  const zone = readZone('lookups.test').replaceAll('lookups.test', DOMAIN)
  const certificate = await createTestCertificate()
  const folder = mkdtempSync(join(tmpdir(), 'trace-files-'))
  writeFileSync(join(folder, 'ca.pem'), certificate.ca)
  const server = await startDohServer(`${zone}\n${readZone('providers')}`, 'h2', certificate)
  return {
    url: server.url.href,
    folder,
    env: { DOH_URLS: server.url.href, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
    async stop() {
      rmSync(folder, { recursive: true })
      await server.close()
    },
  }
}

/** A process of its own: the files it loads count too. */
async function traceScan(checkout, { url, folder, env }) {
  const list = join(folder, 'domains.txt')
  const coverage = join(folder, 'coverage')
  writeFileSync(list, `${DOMAIN}\n`)
  const main = join(checkout, 'packages/cli/build/main.js')
  const child = spawn(process.execPath, [main, 'scan', list, '--resolver', url], {
    env: { PATH: process.env.PATH, NODE_V8_COVERAGE: coverage, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const results = child.stdout.setEncoding('utf8').toArray()
  const [code] = await once(child, 'exit')
  // A finding of high severity ends it with 1.
  if (code > 1) throw new Error(`scan: exit code ${code}: ${await results}`)
  const [file] = readdirSync(coverage)
  const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8'))
  return toOurFiles(
    checkout,
    result.map((script) => script.url),
  )
}

function toOurFiles(checkout, urls) {
  const root = pathToFileURL(`${checkout}/`).href
  return urls
    .filter((url) => url.startsWith(root) && /\/(build|dist)\//.test(url))
    .filter((url) => !url.includes('/node_modules/'))
    .map((url) => relative(checkout, fileURLToPath(url)))
    .sort()
}

async function startService(checkout, entry, env) {
  const preload = ['--import', import.meta.url]
  const child = spawn(process.execPath, [...preload, entry], {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      FILES_PER_REQUEST_CHILD: '1',
      HOST: '127.0.0.1',
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '1000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  let log = ''
  while (!log.includes('"listening"')) log += (await once(child.stdout, 'data'))[0]
  child.stdout.resume()
  return {
    url: `http://127.0.0.1:${/"port":(\d+)/.exec(log)[1]}`,
    async takeFiles() {
      child.send('take')
      const [urls] = await once(child, 'message')
      return toOurFiles(checkout, urls)
    },
    stop: () => child.kill('SIGKILL'),
  }
}

async function createRequests(url) {
  const { encodePaymentSignatureHeader } = await import('@x402/core/http')
  const { signPayment } = await import('../packages/server/scripts/payer.mjs')
  const expectStatus = async (status, path, init) => {
    const response = await fetch(url + path, init)
    const text = await response.text()
    if (response.status !== status) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }
  const plan = `/v1/fix-plan?domain=${DOMAIN}`
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'check_domain_email_security', arguments: { domain: DOMAIN } },
  }
  // Signed ahead: only the request with the payment is counted, not the 402 before it.
  const required = JSON.parse(await expectStatus(402, plan))
  const payments = await Promise.all(
    Array.from({ length: WARM_UPS + 1 }, () => signPayment(required, url + plan)),
  )
  return {
    'GET /v1/spf': () => expectStatus(200, `/v1/spf?domain=${DOMAIN}`),
    'GET /v1/check': () => expectStatus(200, `/v1/check?domain=${DOMAIN}`),
    'GET /v1/score, unpaid': () => expectStatus(402, `/v1/score?domain=${DOMAIN}`),
    'MCP check tool': () =>
      expectStatus(200, '/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(call),
      }),
    'GET /v1/fix-plan, paid': () => {
      const header = encodePaymentSignatureHeader(payments.pop())
      return expectStatus(200, plan, { headers: { 'PAYMENT-SIGNATURE': header } })
    },
  }
}
