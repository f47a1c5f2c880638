/** The way to `p=reject`, a step at a time, a month at the first policies each (RFC 9989 §7.4). */
import type { Policy } from '../../../checks/dmarc/dmarc-record.js'

export interface Rung {
  readonly policy: Policy
  /** RFC 9989 §4.7: `t=y` has receivers act one level down, and report as if they did not. */
  readonly testing: boolean
  readonly minimumDays: number
  readonly proceedWhen: string
}

const EVERYBODY_SEEN =
  'The aggregate reports show every service that really sends for the domain, and each of them passes DMARC'

/** Everything that fails is rejected. */
export const LAST_RUNG: Rung = {
  policy: 'reject',
  testing: false,
  minimumDays: 0,
  proceedWhen:
    'Nothing comes after this stage. Keep reading the reports: a new service that sends for you shows there first.',
}

export const LADDER: readonly Rung[] = [
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
  LAST_RUNG,
]

/** Where a policy has exceptions, be it for subdomains or a share of the mail, until it has none. */
export const EXCEPTIONS_LEFT: Pick<Rung, 'minimumDays' | 'proceedWhen'> = {
  minimumDays: 30,
  proceedWhen: `${EVERYBODY_SEEN} by DKIM, those that send from subdomains too.`,
}

export function rungOf(policy: Policy, testing: boolean): number {
  const isTesting = testing && policy !== 'none'
  return LADDER.findIndex((rung) => rung.policy === policy && rung.testing === isTesting)
}
