import type { FindingEntry } from './finding-entry.js'

export const DKIM_FINDINGS = {} as const satisfies Record<`dkim.${string}`, FindingEntry>
