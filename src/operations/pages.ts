/** Where people and agents read about the service, in words. */
import type { Operation } from './operation.js'

export const DOCS_PATH = '/docs'
export const FINDINGS_PATH = '/docs/findings'

/** About one endpoint: `/docs/api/score`. */
export function endpointPage({ id }: Pick<Operation, 'id'>): string {
  return `/docs/api/${id}`
}
