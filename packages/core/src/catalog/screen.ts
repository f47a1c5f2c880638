/** A screen of a service or DNS host. */
export interface Screen {
  /** Its menu path. */
  readonly path: string
  /** The month in which the path was last confirmed, such as 2026-11; null when it is from general knowledge. */
  readonly confirmed: string | null
}
