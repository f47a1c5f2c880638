import { readFileSync } from 'node:fs'

/** Of the program; the API has its own, `API_VERSION`. */
export const RELEASE_VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version
