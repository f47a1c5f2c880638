/** Styles, scripts and pictures at their addresses. */
import type { Hono } from 'hono'
import { addGetRoute } from '../http/add-route.js'
import type { HttpEnv } from '../http/http-env.js'
import { addDocumentRoute, documentHandler } from '../http/static-document.js'
import { type Assets, assetFolderPath } from '../web/assets.js'

const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }
const NOT_AT_ALL = { 'Cache-Control': 'no-store' }

export function addAssetRoutes(http: Hono<HttpEnv>, { files, folder }: Assets): void {
  for (const { name, type, content } of files) {
    const body = () => content
    const kept = documentHandler({ type, body, headers: FOR_EVER })
    const passing = documentHandler({ type, body, headers: NOT_AT_ALL })
    // A page of the version before this one, or of the next, is served what there is.
    addGetRoute(http, `${assetFolderPath(':version')}/${name}`, (c) =>
      assetFolderPath(c.req.param('version') ?? '') === folder ? kept(c) : passing(c),
    )
    if (name.startsWith('favicon')) addDocumentRoute(http, `/${name}`, { type, body })
  }
}
