/** The service and a browser that visits it, for the stories of one file. */

import { findFreePort } from '@mailgrade/testing/free-port'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import { launchChromium } from './chromium.js'

export const NO_JAVASCRIPT: BrowserContextOptions = { javaScriptEnabled: false }

export interface BrowserEnvironment {
  /** Where the service is. */
  readonly url: string
  /** Somebody new, who remembers nothing; whatever goes wrong in a page of theirs fails the story. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A page of somebody new. */
  openPage(path: string, options?: BrowserContextOptions): Promise<Page>
}

/** `env` is asked for when the service starts. */
export function setUpBrowser(
  env: () => Promise<Record<string, string>> = async () => ({}),
): BrowserEnvironment {
  let browser: Browser
  let service: ServiceProcess
  beforeAll(async () => {
    browser = await launchChromium()
    service = await startAtHome(await env())
  })
  afterAll(async () => {
    service.process.kill('SIGKILL')
    await browser.close()
  })

  async function visitor(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: service.url, ...options })
    const troubles = noteTroubles(context)
    onTestFinished(async () => {
      await context.close()
      expect(troubles).toEqual([])
    })
    return context
  }

  return {
    get url() {
      return service.url
    },
    newContext: visitor,
    async openPage(path, options) {
      const page = await (await visitor(options)).newPage()
      await page.goto(path)
      return page
    },
  }
}

/** With its public address known to it, so that what it says of itself leads back to it. */
async function startAtHome(env: Record<string, string>): Promise<ServiceProcess> {
  const port = await findFreePort()
  return startServiceProcess({
    PORT: `${port}`,
    BASE_URL: `http://127.0.0.1:${port}`,
    RATE_LIMIT_PER_MINUTE: '10000',
    ...env,
  })
}

/** Faults of scripts, dialogues, and what the content security policy had to stop. */
function noteTroubles(context: BrowserContext): string[] {
  const troubles: string[] = []
  context.on('weberror', (fault) => troubles.push(`error: ${fault.error().message}`))
  context.on('dialog', async (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  context.on('console', (message) => {
    // A status such as 402 is an answer, of which the browser tells nevertheless.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isStatus) troubles.push(`console: ${message.text()}`)
  })
  return troubles
}
