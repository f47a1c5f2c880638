/** Where a surface sells an operation, and how its catalogues learn of it. */
import { hasTool, type PaidOperation } from '../operations/operation.js'
import { type BazaarSample, httpBazaarExtension, mcpBazaarExtension } from './bazaar-extension.js'
import type { PaidResource } from './payment-offer.js'

export type ResourceLocator = (
  operation: PaidOperation,
  answer: object,
) => Pick<PaidResource, 'url' | 'extensions'>

export function httpResourceLocator(baseUrl: string): ResourceLocator {
  return (operation, answer) => ({
    url: baseUrl + operation.path,
    extensions: httpBazaarExtension(sampleOf(operation, answer)),
  })
}

/** All tools are called at one address, so that catalogues tell them apart by their names. */
export function mcpResourceLocator(mcpUrl: string): ResourceLocator {
  return (operation, answer) => {
    if (!hasTool(operation)) throw new Error(`${operation.id} is no tool`)
    const extensions = mcpBazaarExtension(sampleOf(operation, answer), operation.tool.name)
    return { url: mcpUrl, extensions }
  }
}

function sampleOf({ input, output, example }: PaidOperation, answer: object): BazaarSample {
  return { input, output, query: example, answer }
}
