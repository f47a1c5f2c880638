/** A request that is answered wherever the service runs: demo domains exist in the sandbox only. */
import type { Operation } from './operation.js'

export function exampleInput({ example }: Operation, isSandbox: boolean): Operation['example'] {
  if (isSandbox) return example
  return 'email' in example ? { email: 'ann@example.com' } : { domain: 'example.com' }
}
