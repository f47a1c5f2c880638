/** One of several instances: the built service at an address that it keeps. */
import { type Series, scrape } from '../service/observe/scrape.js'
import { type Service, startService } from '../support/service.js'
import { LEASH, LEASH_OPTIONS } from './server-process.js'

export interface Instance {
  /** Host and port, as nginx writes them. */
  readonly address: string
  readonly url: string
  isAlive(): boolean
  metrics(): Promise<Series>
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
    startService({ ...env, PORT: port }, [
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
      return scrape((await service.logged('listening')).metricsPort)
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

function isRunning({ process }: Service): boolean {
  return process.exitCode === null && process.signalCode === null
}
