/** One instance with a core to itself, and what it needs on the other cores. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServerDirectory } from '@mailgrade/testing/server-directory'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startChainServer } from '../support/chain-server.js'
import { startFacilitatorServer } from '../support/facilitator-server.js'
import { startBindResolver } from './bind-resolver.js'
import { openWithCleanup } from './cleanup-stack.js'
import { type ClusterPayer, createClusterPayer } from './cluster-payer.js'
import { startFacilitatorProxy } from './facilitator-proxy.js'
import { type Instance, startInstance } from './instance.js'

export interface SoakEnvironment extends Instance {
  /** Null where the machine has only one core. */
  readonly core: string | null
  readonly payer: ClusterPayer
  /** Bytes of the heap that the instance keeps: what a full collection leaves. */
  keptHeap(): Promise<number>
  stop(): Promise<void>
}

export function openSoakEnvironment(): Promise<SoakEnvironment> {
  return openWithCleanup(async ({ defer, deferKill }) => {
    const site = await createServerDirectory()
    defer(site.remove)
    const core = reserveCore()
    const resolver = await deferKill(startBindResolver(site, 'resolver'))
    const chain = await startChainServer({ chainId: 8453 })
    defer(chain.close)
    const facilitator = await deferKill(startFacilitatorProxy(await startFacilitatorServer(chain)))
    const settings = {
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: await site.write('ca.pem', site.ca),
      BASE_URL: 'http://127.0.0.1:3000',
      PAY_TO_ADDRESS: privateKeyToAddress(generatePrivateKey()),
      FACILITATOR_URL: facilitator.url,
      RPC_URL: chain.url,
      DOH_URLS: resolver.url,
      TRUST_PROXY_HOPS: '1',
      METRICS_PORT: '0',
      NODE_OPTIONS: `--import=${import.meta.resolve('./collect-garbage-on-signal.mjs')}`,
    }
    const pinned = core === null ? [] : [TASKSET, '-c', core]
    const instance = await deferKill(startInstance(settings, pinned))
    const payer = await createClusterPayer(instance.url, chain)
    let collections = 0
    return {
      ...instance,
      core,
      payer,
      async keptHeap() {
        instance.signal('SIGUSR2')
        return Number((await instance.logged(`collection ${++collections}`)).heapUsed)
      },
    }
  })
}

/** From util-linux. */
const TASKSET = 'taskset'

/** Moves this process, and all it starts from now on, to the other cores. */
function reserveCore(): string | null {
  const [core, ...others] = allowedCores()
  if (core === undefined || others.length === 0) return null
  // `-a`: with all its threads.
  execFileSync(TASKSET, ['-a', '-c', '-p', others.join(','), String(process.pid)], {
    stdio: 'ignore',
  })
  return String(core)
}

/** Linux writes the list as `0-3,8`. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8')
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status) ?? []
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}
