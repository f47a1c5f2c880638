import type { Template } from './page-template.js'

/** What people read about a type of problem, besides its title for programs. */
export interface ProblemWords {
  /** What it means and what to do next; backticks mark code. */
  readonly meaning: string
  /** For its page in the browser, if the title for programs is less friendly. */
  readonly pageTitle: string | null
  /** The same by the parameter that is wrong. */
  readonly inputTitles: Readonly<Record<string, string>>
  /** What the page in the browser adds. */
  readonly more: Template
}
