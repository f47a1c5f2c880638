/** The fix plan: what to publish, in which order, and what it brings. */

import type { Dns } from '@mailgrade/doh/dns'
import type { Checked } from '../../checks/checked.js'
import type { Finding } from '../../checks/finding.js'
import { subjectOf } from '../../checks/subject.js'
import type { DomainName } from '../../names/domain-name.js'
import { type Chance, remembered } from '../check/chance.js'
import { scoreParts } from '../score/score-parts.js'
import type { FixPlan } from './fix-plan-report.js'
import { mailboxProviderOf, partyOf } from './parties.js'
import { planRecords } from './plan-records.js'
import { project } from './projected/project.js'
import { type Situation, surveyDomain } from './situation.js'
import { warningsOf } from './warnings.js'
import { writePlan } from './write-plan.js'

export async function planDomain(
  dns: Dns,
  domain: DomainName,
  chance: Chance,
): Promise<Checked<FixPlan>> {
  const again = remembered(chance)
  const surveyed = await surveyDomain(dns, domain, again)
  if (surveyed.kind !== 'report') return surveyed
  const situation = surveyed.report
  const { facts, parties, use } = situation
  const plan = await planRecords(situation)
  if (plan.kind === 'unavailable') return plan
  const projection = await project(facts, plan.final, again())
  if (projection.kind !== 'report') return projection

  const { score, grade } = scoreParts(domain, facts.parts, [])
  const { projected, assumes, remaining } = projection.report
  const end = plan.rollout.length > 0 ? ['The rollout has come to its last stage.'] : []
  const [host] = parties.dnsHosts
  const { records, steps, exports } = writePlan({
    planned: plan.now,
    rollout: plan.rollout,
    zone: facts.zone,
    host: host?.row ?? null,
    domain,
    isFinished: remaining.length === 0,
  })
  return {
    kind: 'report',
    report: {
      ...subjectOf(domain),
      sendsMail: use.sends,
      mailboxProvider: mailboxProviderOf(parties),
      dnsHost: host ? partyOf(host) : null,
      senders: parties.senders.map(partyOf),
      current: { score, grade },
      projected: { ...projected, assumes: [...assumes, ...end] },
      records,
      rollout: [...plan.rollout],
      steps,
      warnings: [...warningsOf(situation, plan), ...mendable(remaining, situation)],
      exports,
    },
  }
}

/** Beside an alias no record can stand that would mend SPF or MX, or say that nothing is sent. */
function mendable(remaining: readonly Finding[], { facts, use }: Situation): Finding[] {
  if (facts.alias.length === 0) return [...remaining]
  const beyond = use.sends ? /^(?:spf|mx)\./ : /^(?:spf|mx|dkim)\.|^dmarc\.reject-without-dkim$/
  return remaining.filter(({ id }) => !beyond.test(id))
}
