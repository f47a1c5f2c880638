/** The fix plan for a terminal: what to do today, what follows, and how to check each step. */
import {
  describeStage,
  documentTitle,
  type Finding,
  type FixPlan,
  firstStageStep,
  groupSteps,
  type PlanStep,
  planFacts,
  planSections,
  type RolloutStage,
  stageDate,
} from '@mailgrade/core'
import { describeList, joinBlocks, type Layout, wrapText } from '../terminal/layout.js'
import { recordLines, titleText } from './document-text.js'
import { toTerminalText } from './terminal-words.js'

export function planText(plan: FixPlan, layout: Layout): string {
  const { columns } = layout
  const { today, later, optional } = planSections(plan)
  return joinBlocks([
    headingText(plan, layout),
    wrapText(plan.summary, columns, ''),
    describeList(planFacts(plan), columns, ''),
    ...warningBlocks(plan.warnings, layout),
    ...stepBlocks('Do today', today, plan, layout),
    ...stepBlocks('Later', later, plan, layout),
    ...stageBlocks(plan, layout),
    ...stepBlocks('Optional', optional, plan, layout),
    safetyText(plan, layout),
  ])
}

function headingText(plan: FixPlan, layout: Layout): string {
  const { current, projected } = plan
  const result = `${current.score} (${current.grade}) today, ${projected.score} (${projected.grade}) after all steps`
  return titleText({ ...documentTitle('Fix plan for ', plan), status: null, result }, layout)
}

function warningBlocks(warnings: readonly Finding[], layout: Layout): string[] {
  const { columns, style } = layout
  if (warnings.length === 0) return []
  return [
    style('bold', 'Before you start'),
    ...warnings.map(({ severity, title, detail, fix, record }) =>
      [
        wrapText(`${style('bold', title)} (${severity})`, columns, '    ', '  - '),
        wrapText(`${fix} ${detail}`, columns, '    '),
        ...(record ? recordLines(record, '    ', layout) : []),
      ].join('\n'),
    ),
  ]
}

function stepBlocks(
  heading: string,
  steps: readonly PlanStep[],
  plan: FixPlan,
  layout: Layout,
): string[] {
  if (steps.length === 0) return []
  const blocks = groupSteps(steps, plan).flatMap(({ onlyIf, steps: group }) =>
    group.map((step) => stepText(step, onlyIf, plan, layout)),
  )
  return [layout.style('bold', heading), ...blocks]
}

function stepText(step: PlanStep, onlyIf: string | null, plan: FixPlan, layout: Layout): string {
  const { columns, style } = layout
  const { order, kind, title, where, actions, verify, notBefore } = step
  const number = `  ${order}. `
  const indent = ' '.repeat(number.length)
  return [
    wrapText(style('bold', toTerminalText(title)), columns, indent, number),
    ...(notBefore && kind === 'remove'
      ? [wrapText(`Not before: ${notBefore}`, columns, indent)]
      : []),
    ...(onlyIf ? [wrapText(`Only if: ${toTerminalText(onlyIf)}`, columns, indent)] : []),
    ...fillInLines(step, plan, columns, indent),
    wrapText(`Where: ${toTerminalText(where)}`, columns, indent),
    ...actions.map((it) => wrapText(toTerminalText(it), columns, `${indent}  `, `${indent}- `)),
    // Once more, unwrapped, so they can be copied.
    ...recordsOf(step, plan).flatMap((record) =>
      recordLines(record, indent, layout, record.action === 'delete' ? 'Delete' : 'Record'),
    ),
    wrapText(`Check: ${toTerminalText(verify.text)}`, columns, indent),
  ].join('\n')
}

function fillInLines(step: PlanStep, plan: FixPlan, columns: number, indent: string): string[] {
  const placeholders = recordsOf(step, plan).flatMap((record) => record.placeholders)
  const places = new Map(placeholders.map(({ token, whereToFind }) => [token, whereToFind]))
  return [...places].map(([token, place]) =>
    wrapText(`Fill in first: ${token} (${toTerminalText(place)})`, columns, indent),
  )
}

function recordsOf(step: PlanStep, plan: FixPlan): FixPlan['records'] {
  return plan.records.filter(({ order }) => step.records.includes(order))
}

function stageBlocks(plan: FixPlan, layout: Layout): string[] {
  const { rollout } = plan
  if (rollout.length === 0) return []
  return [
    layout.style('bold', 'DMARC policy stages'),
    ...rollout.map((stage, index) => stageText(stage, index, plan, layout)),
  ]
}

function stageText(stage: RolloutStage, index: number, plan: FixPlan, layout: Layout): string {
  const { columns, style } = layout
  const { rollout } = plan
  const next = rollout[index + 1]
  const title = `Stage ${stage.stage}: ${describeStage(stage)} (${stageTime(stage, index, plan)})`
  return [
    wrapText(style('bold', title), columns, '  '),
    ...recordLines(stage.record, '  ', layout),
    next ? `  Move on to stage ${next.stage} when:` : '  After that:',
    ...stage.proceedWhen.map((it) => wrapText(toTerminalText(it), columns, '    ', '  - ')),
    wrapText(`If you lose legitimate mail: ${toTerminalText(stage.rollback)}`, columns, '  '),
  ].join('\n')
}

function stageTime(stage: RolloutStage, index: number, plan: FixPlan): string {
  const { rollout, effort } = plan
  if (index > 0) return `${stageDate(rollout, index, effort.earliestEnd)} at the earliest`
  const step = firstStageStep(stage, plan)
  return step ? `today, in step ${step.order}` : 'already published'
}

function safetyText({ safety: { tested } }: FixPlan, { columns, style }: Layout): string | null {
  if (tested.length === 0) return null
  const lines = tested.map(({ sender, ip, before, after }) => {
    const name = sender === ip ? ip : `${sender} at ${ip}`
    return wrapText(`${name}: ${before} today, ${after} with the plan`, columns, '    ', '  - ')
  })
  return [style('bold', 'Tested: every sender that passes SPF today still passes'), ...lines].join(
    '\n',
  )
}
