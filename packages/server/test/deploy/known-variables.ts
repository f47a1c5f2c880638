/** Environment variables of the service, read from its source, and those of Node and OpenTelemetry. */
import { readFileSync } from 'node:fs'

const source = readFileSync('packages/server/src/config.ts', 'utf8')

export const SERVICE_VARIABLES: ReadonlySet<string> = new Set(
  [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(([, name]) => name ?? ''),
)

export function isKnownVariable(name: string): boolean {
  return SERVICE_VARIABLES.has(name) || name === 'NODE_OPTIONS' || name.startsWith('OTEL_')
}
