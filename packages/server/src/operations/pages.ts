/** Where people and agents read about an operation, in words. */
import type { Operation } from './operation.js'
import { PATHS } from './service-paths.js'

/** About one endpoint: `/docs/api/score`. */
export function endpointDocsPath({ path }: Pick<Operation, 'path'>): string {
  return path.replace('/v1', PATHS.endpoints)
}

/** Where people read, and buy, what a paid operation reports: `/reports/score`. */
export function reportPagePath({ path }: Pick<Operation, 'path'>): string {
  return path.replace('/v1', PATHS.reports)
}
