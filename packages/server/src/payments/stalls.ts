/** Where a surface sells an operation, and how its catalogues learn of it. */
import { hasTool, type PaidOperation } from '../operations/operation.js'
import { getExtension, type Sample, toolExtension } from './discovery-extension.js'
import type { Goods } from './offer.js'

export type Stall = (operation: PaidOperation, answer: object) => Pick<Goods, 'url' | 'extensions'>

export function endpointStall(baseUrl: string): Stall {
  return (operation, answer) => ({
    url: baseUrl + operation.path,
    extensions: getExtension(sampleOf(operation, answer)),
  })
}

/** All tools are called at one address, so that catalogues tell them apart by their names. */
export function toolStall(mcpUrl: string): Stall {
  return (operation, answer) => {
    if (!hasTool(operation)) throw new Error(`${operation.id} is no tool`)
    const extensions = toolExtension(sampleOf(operation, answer), operation.tool.name)
    return { url: mcpUrl, extensions }
  }
}

function sampleOf({ input, output, example }: PaidOperation, answer: object): Sample {
  return { input, output, query: example, answer }
}
