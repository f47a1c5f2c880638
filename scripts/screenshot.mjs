/**
 * Takes docs/images/result.png, the result page of a demo domain, from a sandbox of its own:
 * `npm run screenshot`. CHROMIUM names the browser if it is not /usr/bin/chromium.
 */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const { CHROMIUM = '/usr/bin/chromium', PATH, HOME } = process.env
const PAGE = '/?domain=monitoring.test'
const FILE = 'docs/images/result.png'

const service = spawn(process.execPath, ['packages/server/dist/main.js'], {
  env: { PATH, HOME, PORT: '0', HOST: '127.0.0.1' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const port = await listeningPort(service.stdout)
  await takeScreenshot(`http://127.0.0.1:${port}${PAGE}`)
  process.stdout.write(`${FILE} shows ${PAGE}\n`)
} finally {
  service.kill()
}

async function listeningPort(stdout) {
  for await (const line of createInterface(stdout)) {
    const { msg, port } = JSON.parse(line)
    if (msg === 'listening') return port
  }
  throw new Error('The service did not start')
}

async function takeScreenshot(url) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 } })
  await page.goto(url)
  mkdirSync('docs/images', { recursive: true })
  await page.screenshot({ path: FILE })
  await browser.close()
}
