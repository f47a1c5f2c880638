/** What the site says about a finding, beside what the catalog says. */
import type { FINDINGS } from '@mailgrade/core'
import type { MechanismName } from '../mechanisms/mechanism.js'

export type FindingId = keyof typeof FINDINGS

export type FindingIdOf<Area extends string> = Extract<FindingId, `${Area}.${string}`>

/** Backticks mark code. */
export interface FindingGuide {
  readonly title: string
  readonly why: string
  /** One action each. */
  readonly steps: readonly [string, ...string[]]
  /** What to see afterwards. The page puts "Check your domain again" before it. */
  readonly worked: string
  /** For some domains only, or what comes later. */
  readonly note?: string
  /** The record may belong to another company, which then has to change it. */
  readonly isOftenElsewhere?: true
  /** Nothing is published or changed, so no instructions for a service or DNS host apply. */
  readonly needsNoChange?: true
}

/** A guide in an area that covers several mechanisms. */
export interface PlacedFindingGuide extends FindingGuide {
  readonly mechanism: MechanismName
}
