/** The sandbox's chain as wallets and scripts see one: JSON-RPC. */
import type { BodyHandler } from './add-route.js'
import { respondJson } from './respond.js'

/** What a public endpoint of a real chain would answer, too; not what would let callers rule it. */
const PUBLIC_METHOD = /^(eth|net|web3)_(?!sendTransaction|sign)/

const MAX_BATCH = 10

export type HandleJsonRpc = (text: string) => Promise<string>

export function createChainRpcHandler(answer: HandleJsonRpc): BodyHandler {
  return async function handleRpc(c, text) {
    const methods = methodsIn(text)
    const isFair = methods.length <= MAX_BATCH
    const body =
      isFair && methods.every((method) => PUBLIC_METHOD.test(method))
        ? await answer(text)
        : JSON.stringify({
            jsonrpc: '2.0',
            id: null,
            error: {
              code: -32601,
              message: `Only public methods of a node are answered here, at most ${MAX_BATCH} at once`,
            },
          })
    return respondJson(c, body)
  }
}

function methodsIn(text: string): string[] {
  try {
    return [JSON.parse(text)].flat().map((request) => String(request?.method))
  } catch {
    return []
  }
}
