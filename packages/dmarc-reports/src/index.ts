/** Reads DMARC aggregate reports (RFC 7489, RFC 9990) and judges the rollout of a policy. */
export { type Criterion, describeLimits, type RolloutVerdict } from './judge-rollout.js'
export type { Fix } from './list-fixes.js'
export { type Problem, problem } from './problem.js'
export {
  type AggregateReports,
  type FoundFile,
  type ReadOptions,
  type ReadProgress,
  readAggregateReports,
} from './read-aggregate-reports.js'
export { RECENT_DAYS } from './recent-days.js'
export type { PublishedPolicy } from './report-metadata.js'
export {
  type DomainSummary,
  type NamedCount,
  PASSING_SHARE,
  type Signature,
  type SourceClass,
  type SourceSummary,
} from './summarize-domain.js'
