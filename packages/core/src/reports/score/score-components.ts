export const SCORE_COMPONENTS = ['spf', 'dkim', 'dmarc', 'mx'] as const
export type ScoreComponentName = (typeof SCORE_COMPONENTS)[number]
