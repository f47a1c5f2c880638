/** The official x402 facilitator as a process. Its arguments are a port, an RPC URL and a key. */
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http as overHttp, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'

const [, , port, rpcUrl, privateKey] = process.argv
const client = createWalletClient({
  account: privateKeyToAccount(privateKey),
  chain: base,
  transport: overHttp(rpcUrl, { retryCount: 0 }),
  pollingInterval: 50,
}).extend(publicActions)

// Transactions of one account have consecutive nonces.
let sending = Promise.resolve()
function writeContract(args) {
  const sent = sending.then(() => client.writeContract(args))
  sending = sent.catch(() => {})
  return sent
}

const signer = toFacilitatorEvmSigner({ ...client, address: client.account.address, writeContract })
const facilitator = new x402Facilitator().register('eip155:8453', new ExactEvmScheme(signer))

async function handle(request) {
  if (request.url === '/supported') return facilitator.getSupported()
  const { paymentPayload, paymentRequirements } = await json(request)
  return request.url === '/verify'
    ? facilitator.verify(paymentPayload, paymentRequirements)
    : facilitator.settle(paymentPayload, paymentRequirements)
}

// The package checks the token without waiting for the result, which fails when the chain is down.
process.on('unhandledRejection', (error) => process.stderr.write(`${error}\n`))

http
  .createServer((request, response) => {
    handle(request).then(
      (body) => response.end(JSON.stringify(body)),
      () => response.destroy(),
    )
  })
  .listen(Number(port), '127.0.0.1')
