/** The browser of this worker with a service: the sandbox of the suite, or one with other settings. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest'
import type { ServiceProcess } from '../support/service-process.js'
import { launchChromium } from './chromium.js'
import { startWithBaseUrl } from './start-with-base-url.js'

/** Started once for all files of a worker, and ends with it. */
let launched: Promise<Browser> | undefined

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

/** `env` is evaluated when the service starts. Without it, files share the sandbox. */
export function setUpBrowser(env?: () => Promise<Record<string, string>>): BrowserEnvironment {
  let browser: Browser
  let own: ServiceProcess | undefined
  const url = () => own?.url ?? inject('sandboxUrl')
  beforeAll(async () => {
    launched ??= launchChromium()
    browser = await launched
    if (env) own = await startWithBaseUrl(await env())
  })
  afterAll(() => void own?.process.kill('SIGKILL'))

  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: url(), ...options })
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
      return url()
    },
    newContext,
    async openPage(path, options) {
      const page = await (await newContext(options)).newPage()
      await page.goto(path)
      return page
    },
  }
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
