/** A figure, what it is held against, and whether it is as good as it should be. */
import { rounded } from './check-turns.js'

export interface Row {
  readonly what: string
  readonly figure: number
  /** What it is held against, and in which proportion. */
  readonly beside?: number
  readonly ratio?: number
  readonly aim?: string
  readonly met?: boolean
}

export function row(what: string, figure: number, digits = 0): Row {
  return { what, figure: rounded(figure, digits) }
}

export function atLeast(row: Row, aim: number): Row {
  return { ...row, aim: `≥ ${aim}`, met: row.figure >= aim }
}

export function atMost(row: Row, aim: number): Row {
  return { ...row, aim: `≤ ${aim}`, met: row.figure <= aim }
}

export function beside(row: Row, other: number, digits = 0): Row & { readonly ratio: number } {
  return { ...row, beside: rounded(other, digits), ratio: rounded(row.figure / other, 2) }
}
