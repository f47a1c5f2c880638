/** The sign and the word of each status: always both, never a color alone. */
import type { STATUSES } from '../checks/finding.js'

export type StatusName = (typeof STATUSES)[number] | 'unknown'

export const STATUS_SIGNS = {
  pass: '✓',
  warn: '!',
  fail: '✕',
  unknown: '?',
} as const satisfies Record<StatusName, string>

export const STATUS_WORDS = {
  pass: 'Good',
  warn: 'Needs work',
  fail: 'Problem',
  unknown: 'Unknown',
} as const satisfies Record<StatusName, string>
