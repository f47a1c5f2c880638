/** The way to `p=reject`, a step at a time, a month at the first policies each (RFC 9989 §7.4). */
import type { DmarcPolicy } from '../../../checks/dmarc/dmarc-record.js'

export interface PolicyLevel {
  readonly policy: DmarcPolicy
  /** RFC 9989 §4.7: `t=y` has receivers act one level down, and report as if they did not. */
  readonly testing: boolean
  readonly minimumDays: number
  readonly proceedWhen: string
}

const EVERYBODY_SEEN =
  'The aggregate reports show every service that really sends for the domain, and each of them passes DMARC'

/** Everything that fails is rejected. */
export const FINAL_POLICY_LEVEL: PolicyLevel = {
  policy: 'reject',
  testing: false,
  minimumDays: 0,
  proceedWhen:
    'Nothing comes after this stage. Keep reading the reports: a new service that sends for you shows there first.',
}

export const POLICY_LEVELS: readonly PolicyLevel[] = [
  {
    policy: 'none',
    testing: false,
    minimumDays: 30,
    proceedWhen: `${EVERYBODY_SEEN} by SPF or by DKIM. The mail that fails is all somebody else’s.`,
  },
  {
    policy: 'quarantine',
    testing: true,
    minimumDays: 7,
    proceedWhen:
      'Reports have come in for a week, from several receivers, and none shows mail of yours that would have been quarantined. Receivers that do not know "t=y" quarantine already, so look into spam folders as well.',
  },
  {
    policy: 'quarantine',
    testing: false,
    minimumDays: 30,
    proceedWhen: `${EVERYBODY_SEEN} by DKIM, since SPF alone breaks when mail is forwarded (RFC 9989 §7.4). For a month nobody has missed any mail.`,
  },
  {
    policy: 'reject',
    testing: true,
    minimumDays: 7,
    proceedWhen:
      'Reports have come in for a week, from several receivers, and none shows mail of yours that would have been rejected. Receivers that do not know "t=y" reject already, so listen for mail that is missed. If your people write to mailing lists that change messages, go back to "p=quarantine" and stay there (RFC 9989 §7.4).',
  },
  FINAL_POLICY_LEVEL,
]

/** Where a policy has exceptions, be it for subdomains or a share of the mail, until it has none. */
export const EXCEPTIONS_STAGE: Pick<PolicyLevel, 'minimumDays' | 'proceedWhen'> = {
  minimumDays: 30,
  proceedWhen: `${EVERYBODY_SEEN} by DKIM, those that send from subdomains too.`,
}

export function findLevelIndex(policy: DmarcPolicy, testing: boolean): number {
  const isTesting = testing && policy !== 'none'
  return POLICY_LEVELS.findIndex((rung) => rung.policy === policy && rung.testing === isTesting)
}
