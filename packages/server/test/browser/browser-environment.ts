/** The browser of this worker with a service: the sandbox of this worker, or one with other settings. */
import { findFreePort } from '@mailgrade/testing/free-port'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import { launchChromium } from './chromium.js'

/** Started once for all files of a worker, and ends with it. */
let launched: Promise<Browser> | undefined
let sandbox: Promise<ServiceProcess> | undefined

/** A busy machine must not fail a test. */
const PATIENCE_MS = 150_000

export const NO_JAVASCRIPT: BrowserContextOptions = { javaScriptEnabled: false }

export interface BrowserEnvironment {
  /** The URL of the service. */
  readonly url: string
  /** A context without history. Errors in its pages fail the test. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A page in a new context. */
  openPage(path: string, options?: BrowserContextOptions): Promise<Page>
}

/** `env` is evaluated when the service starts. Without it, files share a service. */
export function setUpBrowser(env?: () => Promise<Record<string, string>>): BrowserEnvironment {
  let browser: Browser
  let service: ServiceProcess
  beforeAll(async () => {
    launched ??= launchChromium()
    browser = await launched
    service = env ? await startWithBaseUrl(await env()) : await openSandbox()
  })
  afterAll(() => {
    if (env) service.process.kill('SIGKILL')
  })

  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: service.url, ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    const errors = recordErrors(context)
    onTestFinished(async () => {
      await context.close()
      expect(errors).toEqual([])
    })
    return context
  }

  return {
    get url() {
      return service.url
    },
    newContext,
    async openPage(path, options) {
      const page = await (await newContext(options)).newPage()
      await page.goto(path)
      return page
    },
  }
}

function openSandbox(): Promise<ServiceProcess> {
  sandbox ??= startWithBaseUrl({}).then((service) => {
    process.once('exit', () => service.process.kill('SIGKILL'))
    return service
  })
  return sandbox
}

/** Sets the base URL, so links of the service lead back to it. */
async function startWithBaseUrl(env: Record<string, string>): Promise<ServiceProcess> {
  const port = await findFreePort()
  return startServiceProcess({
    PORT: `${port}`,
    BASE_URL: `http://127.0.0.1:${port}`,
    RATE_LIMIT_PER_MINUTE: '10000',
    // Resolvers answer, however busy this machine is.
    DNS_TIMEOUT_MS: '60000',
    ...env,
  })
}

/** Script errors, dialogs and violations of the content security policy. */
function recordErrors(context: BrowserContext): string[] {
  const errors: string[] = []
  context.on('weberror', (fault) => errors.push(`error: ${fault.error().message}`))
  context.on('dialog', async (dialog) => {
    errors.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  context.on('console', (message) => {
    // The browser also logs statuses such as 402, which are expected.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isStatus) errors.push(`console: ${message.text()}`)
  })
  return errors
}
