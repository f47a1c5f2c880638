/** An instance of the built service that keeps its address across restarts. */

import { SETPRIV, SETPRIV_ARGS } from '@mailgrade/testing/child-server'
import { findFreePort } from '@mailgrade/testing/free-port'
import { type MetricSeries, scrapeMetrics } from '../service/observe/scrape-metrics.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

export interface Instance {
  /** Host and port, as nginx logs them. */
  readonly address: string
  readonly url: string
  isAlive(): boolean
  metrics(): Promise<MetricSeries>
  logged: ServiceProcess['logged']
  signal(name: NodeJS.Signals): void
  kill(): Promise<void>
  /** Sends SIGTERM and returns the exit code. */
  terminate(): Promise<number | null>
  /** `changes` to the environment are for this start only. */
  restart(changes?: Record<string, string>): Promise<void>
}

/** `prefix` is a command such as `taskset` that runs the rest. */
export async function startInstance(
  env: Record<string, string>,
  prefix: readonly string[] = [],
): Promise<Instance> {
  const start = (port: string, changes: Record<string, string> = {}) =>
    startServiceProcess({ ...env, ...changes, PORT: port }, [
      SETPRIV,
      ...[...SETPRIV_ARGS, ...prefix, process.execPath, 'packages/server/dist/main.js'],
    ])
  let service = await start(String(await findFreePort()))
  const { url } = service
  const { port } = new URL(url)
  return {
    address: `127.0.0.1:${port}`,
    url,
    isAlive: () => isRunning(service),
    async metrics() {
      return scrapeMetrics((await service.logged('listening')).metricsPort)
    },
    logged: (message) => service.logged(message),
    signal(name) {
      service.process.kill(name)
    },
    async kill() {
      service.process.kill('SIGKILL')
      await service.exitCode()
    },
    terminate() {
      service.process.kill('SIGTERM')
      return service.exitCode()
    },
    async restart(changes) {
      service = await start(port, changes)
      if (!isRunning(service)) throw new Error(service.output.stderr)
    },
  }
}

function isRunning({ process: child }: ServiceProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
