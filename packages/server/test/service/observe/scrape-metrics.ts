/** Reads `/metrics`: each series name with its labels, and its value. */

export type MetricSeries = Readonly<Record<string, number>>

export async function scrapeMetrics(port: unknown): Promise<MetricSeries> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

/** The series of one metric. */
export function selectMetric(series: MetricSeries, metric: string): MetricSeries {
  const own = Object.entries(series).filter(([name]) => name.replace(/\{.*/, '') === metric)
  return Object.fromEntries(own.map(([name, value]) => [name.slice(metric.length), value]))
}
