/** Styles, scripts and pictures of the pages, in a folder named after what is in them. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'

const FOLDER = new URL('../../public/', import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ico': 'image/vnd.microsoft.icon',
  '.png': 'image/png',
}

interface Asset {
  readonly name: string
  readonly type: string
  readonly content: Buffer
}

export interface Assets {
  readonly files: readonly Asset[]
  /** Another one as soon as anything in it changes, so that browsers may keep what they have. */
  readonly folder: string
}

export function loadAssets(): Assets {
  const files = readdirSync(FOLDER)
    .sort()
    .map((name) => {
      const type = TYPES[extname(name)]
      if (!type) throw new Error(`public/${name} is of a kind that is not served`)
      return { name, type, content: readFileSync(new URL(name, FOLDER)) }
    })
  const hash = createHash('sha256')
  for (const { content } of files) hash.update(content)
  return { files, folder: assetFolderPath(hash.digest('base64url').slice(0, 12)) }
}

export function assetFolderPath(version: string): string {
  return `/assets/${version}`
}
