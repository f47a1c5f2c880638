import type { FindingEntry } from './finding-entry.js'

export const SPF_FINDINGS = {} as const satisfies Record<`spf.${string}`, FindingEntry>
