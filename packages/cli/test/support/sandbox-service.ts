/** The built service as a process, with demo domains and play money. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Address, createPublicClient, erc20Abi, http } from 'viem'

/** In the documentation of the sandbox; it is worth nothing. */
export const DEMO_WALLET = {
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  privateKey: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
} as const

const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

export interface SandboxService {
  readonly url: string
  /** In units of 1/1,000,000 USDC. */
  balanceOf(address: Address): Promise<bigint>
  stop(): Promise<void>
}

export async function startSandboxService(): Promise<SandboxService> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, ['packages/server/dist/main.js'], {
    // Real domains would be looked up on the internet; here the lookup fails instead.
    env: { PATH, HOME, PORT: '0', HOST: '127.0.0.1', DOH_URLS: 'http://127.0.0.1:9/dns-query' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  const url = await Promise.race([
    readUrl(createInterface(child.stdout)),
    exited.then(() => {
      throw new Error('The service has exited')
    }),
  ])
  const chain = createPublicClient({ transport: http(`${url}/sandbox/chain`) })
  return {
    url,
    balanceOf: (address) =>
      chain.readContract({
        address: USDC,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [address],
      }),
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function readUrl(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const { msg, port } = JSON.parse(line)
    if (msg === 'listening') return `http://127.0.0.1:${port}`
  }
  throw new Error('The service does not listen')
}
