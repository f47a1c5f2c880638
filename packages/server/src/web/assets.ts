/** Styles, scripts and images, at a path that contains a hash of their content. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { ICON_PATH, ICON_SVG } from '@mailgrade/operations/mcp/server-identity'
import { PUBLIC_FOLDER } from '../server-files.js'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
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
  /** Changes when any file changes, so browsers can cache the files forever. */
  readonly folder: string
}

export function loadAssets(): Assets {
  const contents = readdirSync(PUBLIC_FOLDER)
    .sort()
    .map((name) => [name, readFileSync(new URL(name, PUBLIC_FOLDER))] as const)
  // The local MCP server has this icon too, but not the folder.
  const files = [...contents, [basename(ICON_PATH), Buffer.from(ICON_SVG)] as const].map(
    ([name, content]) => {
      const type = MEDIA_TYPES[extname(name)]
      if (!type) throw new Error(`${name} has no media type`)
      return { name, type, content }
    },
  )
  const hash = createHash('sha256')
  for (const { content } of files) hash.update(content)
  return { files, folder: assetFolderPath(hash.digest('base64url').slice(0, 12)) }
}

export function assetFolderPath(version: string): string {
  return `/assets/${version}`
}
