/** The names of all series that an instance with a store offers to Prometheus. */
import { findFreePorts } from '@mailgrade/testing/free-port'
import { startServiceProcess } from '../support/service-process.js'

export async function readMetricNames(): Promise<ReadonlySet<string>> {
  const [metricsPort, nobody] = await findFreePorts()
  const service = await startServiceProcess({
    METRICS_PORT: String(metricsPort),
    // One that is down is reported on all the same.
    REDIS_URL: `redis://127.0.0.1:${nobody}`,
  })
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  service.process.kill('SIGKILL')
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  const names = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : name,
  )
  // Prometheus's own, of every target.
  return new Set([...names, 'up'])
}
