/** Styles, scripts and pictures at their addresses. */
import type { Hono } from 'hono'
import { handDocument, mountDocument } from '../http/document.js'
import type { HttpEnv } from '../http/http-env.js'
import { mountGet } from '../http/mount.js'
import { type Assets, assetFolder } from '../web/assets.js'

const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }
const NOT_AT_ALL = { 'Cache-Control': 'no-store' }

export function mountAssets(http: Hono<HttpEnv>, { files, folder }: Assets): void {
  for (const { name, type, content } of files) {
    const body = () => content
    const kept = handDocument({ type, body, headers: FOR_EVER })
    const passing = handDocument({ type, body, headers: NOT_AT_ALL })
    // A page of the version before this one, or of the next, is served what there is.
    mountGet(http, `${assetFolder(':version')}/${name}`, (c) =>
      assetFolder(c.req.param('version') ?? '') === folder ? kept(c) : passing(c),
    )
    if (name.startsWith('favicon')) mountDocument(http, `/${name}`, { type, body })
  }
}
