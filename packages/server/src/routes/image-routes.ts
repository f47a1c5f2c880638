/** The verdict on a domain as an image: a badge for other sites, and what platforms show with a link. */
import { createHash } from 'node:crypto'
import { check } from '@mailgrade/operations/check'
import type { ProblemFields } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, type ProblemCode } from '@mailgrade/operations/problem-types'
import { RELEASE_VERSION } from '@mailgrade/operations/release-version'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Context, Hono } from 'hono'
import { addGetRoute, operationId, type RouteHandler } from '../http/add-route.js'
import { type ConsumeRateLimit, rateLimit, removeRateLimitHeaders } from '../http/rate-limit.js'
import { type FreeReportOptions, freeReportHandler } from '../http/report-handlers.js'
import {
  type HttpEnv,
  prepareProblemDetails,
  respond,
  type SendProblem,
  sendProblemJson,
  setHeader,
  setHeaders,
} from '../http/respond.js'
import { matchesEtag } from '../http/static-document.js'
import type { ServiceInfo } from '../service-info.js'
import { memoizeAsync } from '../state/memoize-async.js'
import { badgeSvg } from '../web/images/badge-svg.js'
import {
  formatUtcDay,
  problemImage,
  type VerdictImage,
  verdictImage,
} from '../web/images/verdict-image.js'

/** Sites show a badge to many readers; an hour is short enough to see a fix. */
const CACHE_CONTROL = 'public, max-age=3600'

interface ImageFormat {
  readonly folder: string
  readonly extension: string
  readonly type: string
  /** A drawing takes milliseconds. */
  readonly isCostly?: true
  draw(image: VerdictImage): string | Promise<Uint8Array<ArrayBuffer>>
}

interface AddRoutesOptions extends FreeReportOptions {
  readonly consumeRateLimit: ConsumeRateLimit
}

export interface ImageRoutes {
  /** Wraps `sendOther`, so a page that shows an image never shows a broken one. */
  orOtherProblem(sendOther: SendProblem): SendProblem
  addRoutes(http: Hono<HttpEnv>, options: AddRoutesOptions): void
}

export function createImageRoutes({ name }: Pick<ServiceInfo, 'name'>): ImageRoutes {
  // Loaded with the first image: few instances ever draw one.
  const loadDraw = memoizeAsync(async () =>
    (await import('../web/images/share-image.js')).createDrawShareImage(name),
  )
  const formats: ImageFormat[] = [
    { folder: PATHS.badge, extension: '.svg', type: 'image/svg+xml', draw: badgeSvg },
    {
      folder: PATHS.share,
      extension: '.png',
      type: 'image/png',
      isCostly: true,
      draw: async (image) => (await loadDraw())(image),
    },
  ]
  const senders = formats.map((format) => [format, imageProblemSender(format)] as const)
  return {
    orOtherProblem: (sendOther) =>
      async function sendImageOrOtherProblem(c, ...problem) {
        const { path } = c.req
        const match = senders.find(
          ([{ folder, extension }]) => path.startsWith(`${folder}/`) && path.endsWith(extension),
        )
        if (!match) return sendOther(c, ...problem)
        const [, sendProblem] = match
        try {
          return await sendProblem(c, ...problem)
        } catch {
          return sendProblemJson(c, ...problem)
        }
      },
    addRoutes(http, options) {
      for (const [format, sendProblem] of senders) {
        const handlers = imageHandlers(format, sendProblem, options)
        addGetRoute(http, `${format.folder}/:file`, ...handlers)
      }
    },
  }
}

function imageHandlers(
  format: ImageFormat,
  sendProblem: SendProblem,
  { consumeRateLimit, ...options }: AddRoutesOptions,
): RouteHandler[] {
  const { extension } = format
  const fileOf = (c: Context<HttpEnv>) => c.req.param('file') ?? ''
  return [
    (c, next) => (fileOf(c).endsWith(extension) ? next() : c.notFound()),
    operationId(check),
    rateLimit(consumeRateLimit, sendProblem),
    freeReportHandler(check, options, {
      isForm: true,
      pathParameters: (c) => ({ domain: fileOf(c).slice(0, -extension.length) }),
      sendProblem,
      sendReport: (c, report) => sendImage(c, format, verdictImage(report)),
    }),
  ]
}

async function sendImage(
  c: Context<HttpEnv>,
  format: ImageFormat,
  image: VerdictImage,
): Promise<Response> {
  removeRateLimitHeaders(c)
  const etag = imageEtag(format, image)
  const caching = { 'Cache-Control': CACHE_CONTROL, ETag: etag }
  if (matchesEtag(c.req.header('if-none-match'), etag)) {
    setHeaders(c, caching)
    return respond(c, null, 304)
  }
  const body = await format.draw(image)
  setHeaders(c, { ...caching, 'Content-Type': format.type })
  return respond(c, body)
}

/** Weak: two images with the same words and the same day are equal for readers. */
function imageEtag({ type }: ImageFormat, { checkedAt, ...words }: VerdictImage): string {
  const day = checkedAt && formatUtcDay(checkedAt)
  const content = JSON.stringify([RELEASE_VERSION, type, words, day])
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}

function imageProblemSender(format: ImageFormat): SendProblem {
  const draw = format.isCostly ? drawOnce(format) : drawDetail(format)
  return async function sendImageProblem(c, code, fields) {
    prepareProblemDetails(c, code, fields)
    const body = await draw(code, fields)
    setHeader(c, 'Content-Type', format.type)
    return respond(c, body, PROBLEM_TYPES[code].status)
  }
}

type DrawProblem = (
  code: ProblemCode,
  fields: Pick<ProblemFields, 'detail' | 'parameter'>,
) => ReturnType<ImageFormat['draw']>

function drawDetail(format: ImageFormat): DrawProblem {
  return (code, { detail, parameter }) => format.draw(problemImage(code, detail, parameter))
}

/** Without details, so a caller over the limit does not cost a drawing each time. */
function drawOnce(format: ImageFormat): DrawProblem {
  const drawn = new Map<string, ReturnType<ImageFormat['draw']>>()
  return (code, { parameter = '' }) => {
    const key = `${code} ${parameter}`
    const { title } = PROBLEM_TYPES[code]
    const image =
      drawn.get(key) ?? format.draw(problemImage(code, `${title}.`, parameter || undefined))
    drawn.set(key, image)
    return image
  }
}
