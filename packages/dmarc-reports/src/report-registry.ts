/** Recognizes copies of reports. */
import { createHash } from 'node:crypto'
import type { CollectedReport } from './collect-report.js'
import type { ReportMetadata } from './report-metadata.js'

/** `larger`: another report with this identity has more messages, and replaces it in a second run. */
export type Registration = 'new' | 'copy' | 'larger' | 'smaller'

interface Known {
  readonly digest: string
  readonly messages: number
}

export type ReportRegistry = ReturnType<typeof createReportRegistry>

/** `chosen`: the reports that a first run found to be the larger of several with one identity. */
export function createReportRegistry(chosen: ReadonlyMap<string, string> = new Map()) {
  const known = new Map<string, Known>()
  const larger = new Map<string, string>(chosen)

  return {
    /** The digests of the reports to count, by identity. */
    larger: larger as ReadonlyMap<string, string>,

    register(metadata: ReportMetadata, { digest, messages }: CollectedReport): Registration {
      const identity = identityOf(metadata)
      const choice = chosen.get(identity)
      if (choice !== undefined && choice !== digest) return 'smaller'
      const before = known.get(identity)
      if (before === undefined) {
        known.set(identity, { digest, messages })
        return 'new'
      }
      if (before.digest === digest) return 'copy'
      if (messages <= before.messages) return 'smaller'
      known.set(identity, { digest, messages })
      larger.set(identity, digest)
      return 'larger'
    },
  }
}

/** The report id alone is neither unique nor stable. */
function identityOf({ orgName, email, policy, reportId, begin, end }: ReportMetadata): string {
  const reporter = (orgName || email) ?? ''
  const parts = [reporter.toLowerCase(), policy.domain, reportId, begin, end]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
