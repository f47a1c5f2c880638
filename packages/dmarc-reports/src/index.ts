/** Reads DMARC aggregate reports (RFC 7489, RFC 9990) and judges the rollout of a policy. */

export type { PublishedPolicy } from './aggregate-report.js'
export { QUESTION_WORDS } from './ask-owner.js'
export { type Criterion, nameSource } from './judge-criteria.js'
export type { JudgedCondition, RolloutVerdict } from './judge-rollout.js'
export { describeLimits } from './ladder-stage.js'
export type { Fix } from './list-fixes.js'
export { type Problem, problem } from './problem.js'
export {
  type AggregateSummary,
  type FoundFile,
  type ReadOptions,
  type ReadProgress,
  readAggregateReports,
} from './read-aggregate-reports.js'
export { type ReadMessage, readMessageEvidence } from './read-message.js'
export { RECENT_DAYS } from './source-totals.js'
export { streamEvidence } from './stream-evidence.js'
export {
  type DomainSummary,
  type NamedCount,
  PASSING_SHARE,
  type Signature,
  type SourceClass,
  type SourceSummary,
} from './summarize-domain.js'
