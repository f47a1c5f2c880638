import { readFileSync } from 'node:fs'

/** The version of this package, which is one level above this file and above the bundle. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version
