/** What the conditions of a stage say, as keys of `data/plan-words/`. */
import { fillWords, type WordValues } from '../catalog/fill-words.js'
import { PLAN_WORDS, type PlanWordKey } from '../catalog/generated/plan-words.js'
import { formatFullList } from '../checks/format-list.js'
import type { StageCondition } from './policy-ladder.js'

interface ConditionWords {
  readonly key: Extract<PlanWordKey, `stage.${string}`>
  readonly values: WordValues
}

export function keyCondition(condition: StageCondition): ConditionWords {
  switch (condition.id) {
    case 'senders-known':
    case 'senders-sign':
      return { key: `stage.${condition.id}.${condition.scope}`, values: {} }
    case 'none-fails':
      return { key: `stage.none-fails.${condition.days}`, values: {} }
    case 'none-missing':
      return { key: `stage.none-missing.${condition.days}`, values: {} }
    case 'no-lists':
      return { key: `stage.no-lists.${condition.otherwise}`, values: {} }
    case 'exact-domain': {
      const { domain, tags } = condition
      const [tag = 'both'] = tags.length === 1 ? tags : []
      return { key: `stage.exact-domain.${tag}`, values: { domain } }
    }
    default:
      return { key: `stage.${condition.id}`, values: {} }
  }
}

export function describeCondition(condition: StageCondition): string {
  const { key, values } = keyCondition(condition)
  return fillWords(PLAN_WORDS[key], values, formatFullList)
}
