/** Where people and agents read about the service, in words. */
import type { Operation } from './operation.js'

export const DOCS_PATH = '/docs'
export const FINDINGS_PATH = '/docs/findings'

/** About one endpoint: `/docs/api/score`. */
export function endpointPage({ path }: Pick<Operation, 'path'>): string {
  return path.replace('/v1/', '/docs/api/')
}

/** Where people read, and buy, what a paid operation reports: `/reports/score`. */
export function reportPage({ path }: Pick<Operation, 'path'>): string {
  return path.replace('/v1/', '/reports/')
}
