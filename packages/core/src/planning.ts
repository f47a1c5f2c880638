/** The score and the fix plan: half of the code, so the command line loads it on demand. */
export { planDomain } from './reports/fix-plan/plan-domain.js'
export { scoreDomain } from './reports/score/score-domain.js'
