/** A figure, what it is held against, and whether it is as good as it should be. */
import { roundTo } from './measure.js'

export interface ServiceRow {
  readonly what: string
  readonly figure: number
  /** What it is held against, and in which proportion. */
  readonly beside?: number
  readonly ratio?: number
  readonly aim?: string
  readonly met?: boolean
}

export function serviceRow(what: string, figure: number, digits = 0): ServiceRow {
  return { what, figure: roundTo(figure, digits) }
}

export function atLeast(row: ServiceRow, aim: number): ServiceRow {
  return { ...row, aim: `≥ ${aim}`, met: row.figure >= aim }
}

export function atMost(row: ServiceRow, aim: number): ServiceRow {
  return { ...row, aim: `≤ ${aim}`, met: row.figure <= aim }
}

export function comparedWith(
  row: ServiceRow,
  other: number,
  digits = 0,
): ServiceRow & { readonly ratio: number } {
  return { ...row, beside: roundTo(other, digits), ratio: roundTo(row.figure / other, 2) }
}
