/** An unpredictable label, to see what a wildcard answers. */
import { randomUUID } from 'node:crypto'

/** The end of a UUID, 62 random bits: Node keeps those ready, which costs less than new octets. */
export function randomLabel(): string {
  return randomUUID().slice(19)
}
