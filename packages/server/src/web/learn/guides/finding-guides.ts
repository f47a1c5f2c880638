/** A guide for every finding; a missing one doesn’t compile. */
import type { MechanismName } from '../mechanisms/mechanism.js'
import { DKIM_GUIDES } from './dkim-guides.js'
import { DMARC_GUIDES } from './dmarc-guides.js'
import type { FindingGuide, FindingId, PlacedFindingGuide } from './finding-guide.js'
import { MX_GUIDES } from './mx-guides.js'
import { PLAN_GUIDES } from './plan-guides.js'
import { SPF_GUIDES } from './spf-guides.js'
import { TRANSPORT_GUIDES } from './transport-guides.js'

export const FINDING_GUIDES: Readonly<Record<FindingId, PlacedFindingGuide>> = {
  ...placeAt('spf', SPF_GUIDES),
  ...placeAt('dmarc', DMARC_GUIDES),
  ...placeAt('dkim', DKIM_GUIDES),
  ...placeAt('mx', MX_GUIDES),
  ...TRANSPORT_GUIDES,
  ...PLAN_GUIDES,
}

function placeAt<Id extends FindingId>(
  mechanism: MechanismName,
  guides: Readonly<Record<Id, FindingGuide>>,
): Record<Id, PlacedFindingGuide> {
  const placed = Object.entries<FindingGuide>(guides).map(([id, guide]) => [
    id,
    { ...guide, mechanism },
  ])
  return Object.fromEntries(placed)
}
