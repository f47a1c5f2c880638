/** Most severe first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const
type Severity = (typeof SEVERITIES)[number]

export interface FindingEntry {
  readonly severity: Severity
  readonly meaning: string
  readonly reference: string
}
