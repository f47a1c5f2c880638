/**
 * Takes docs/images/result.png, the result page of a demo domain, from a sandbox of its own:
 * `npm run screenshot`. CHROMIUM names the browser if it is not /usr/bin/chromium.
 */
import { mkdirSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { withSandboxService } from './sandbox-service.mjs'

const { CHROMIUM = '/usr/bin/chromium' } = process.env
const PAGE = '/?domain=monitoring.test'
const FILE = 'docs/images/result.png'

await withSandboxService((url) => takeScreenshot(url + PAGE))
process.stdout.write(`${FILE} shows ${PAGE}\n`)

async function takeScreenshot(url) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 } })
  await page.goto(url)
  mkdirSync('docs/images', { recursive: true })
  await page.screenshot({ path: FILE })
  await browser.close()
}
