import type { FindingEntry } from './finding-entry.js'

export const TRANSPORT_FINDINGS = {} as const satisfies Record<`transport.${string}`, FindingEntry>
