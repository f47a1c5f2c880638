import type { FindingEntry } from './finding-entry.js'

export const DMARC_FINDINGS = {} as const satisfies Record<`dmarc.${string}`, FindingEntry>
