/** One of several instances: the built service at an address that it keeps. */
import { type MetricSeries, scrapeMetrics } from '../service/observe/scrape-metrics.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import { LEASH, LEASH_OPTIONS } from './child-server.js'

export interface Instance {
  /** Host and port, as nginx writes them. */
  readonly address: string
  readonly url: string
  isAlive(): boolean
  metrics(): Promise<MetricSeries>
  kill(): Promise<void>
  /** Sends SIGTERM and tells the exit code. */
  terminate(): Promise<number | null>
  restart(): Promise<void>
}

/** `prefix` is a command that runs what follows it. */
export async function startInstance(
  env: Record<string, string>,
  prefix: readonly string[] = [],
): Promise<Instance> {
  const start = (port: string) =>
    startServiceProcess({ ...env, PORT: port }, [
      LEASH,
      ...[...LEASH_OPTIONS, ...prefix, process.execPath, 'packages/server/dist/main.js'],
    ])
  let service = await start('0')
  const { url } = service
  const { port } = new URL(url)
  return {
    address: `127.0.0.1:${port}`,
    url,
    isAlive: () => isRunning(service),
    async metrics() {
      return scrapeMetrics((await service.logged('listening')).metricsPort)
    },
    async kill() {
      service.process.kill('SIGKILL')
      await service.exitCode()
    },
    terminate() {
      service.process.kill('SIGTERM')
      return service.exitCode()
    },
    async restart() {
      service = await start(port)
      if (!isRunning(service)) throw new Error(service.output.stderr)
    },
  }
}

function isRunning({ process }: ServiceProcess): boolean {
  return process.exitCode === null && process.signalCode === null
}
