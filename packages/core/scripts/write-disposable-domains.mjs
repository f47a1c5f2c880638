/**
 * Writes data/disposable-domains.br from the package disposable-domains. Published packages have
 * only this file: the package itself would install 7 MB of tools that it uses to collect the list.
 */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync } from 'node:zlib'

const require = createRequire(import.meta.url)
const names = require('disposable-domains')
const text = [...new Set(names)].sort().join('\n')
writeFileSync(new URL('../data/disposable-domains.br', import.meta.url), brotliCompressSync(text))
