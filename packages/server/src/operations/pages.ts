/** Where people and agents read about an operation, in words. */
import type { Operation } from './operation.js'
import { PATHS } from './paths.js'

/** About one endpoint: `/docs/api/score`. */
export function endpointPage({ path }: Pick<Operation, 'path'>): string {
  return path.replace('/v1', PATHS.endpoints)
}

/** Where people read, and buy, what a paid operation reports: `/reports/score`. */
export function reportPage({ path }: Pick<Operation, 'path'>): string {
  return path.replace('/v1', PATHS.reports)
}
