/** Checks whether DNS shows the records of a step, with the free endpoints. */

/**
 * How one record is compared, as the server wrote it into the page.
 * @typedef {{ url: string, purpose: string, type: string, name: string, value: string | null,
 *   isDeleted: boolean, replaces: string[], ttl: number }} RecordCheck
 */

const TIMEOUT_MS = 30_000
const NO_ANSWER = 'We couldn’t reach DNS, so we don’t know yet. Try again in a minute.'

/**
 * Done only if DNS shows every record; never if anything is unknown.
 * @param {DOMStringMap} step
 * @returns {Promise<{ isDone: boolean, message: (string | Node)[] }>}
 */
export async function checkStep({ checks = '[]', unchecked = '' }) {
  /** @type {RecordCheck[]} */
  const records = JSON.parse(checks)
  /** @type {Map<string, unknown>} */
  const reports = new Map()
  for (const { url } of records) {
    if (reports.has(url)) continue
    const reply = await fetchReport(url)
    if (reply.problem) return { isDone: false, message: [reply.problem] }
    reports.set(url, reply.report)
  }
  // Where every selector has a key, a key that was found proves nothing.
  const open = records.find(({ purpose, value }) => purpose === 'dkim' && value === null)
  const probe = open && (await fetchReport(madeUpSelector(open.url)))
  if (probe?.problem) return { isDone: false, message: [probe.problem] }
  if (hasKeys(probe?.report)) return { isDone: false, message: [EVERY_SELECTOR] }
  const results = records.map((record) => ({ record, ...compare(record, reports.get(record.url)) }))
  if (results.some(({ isDone }) => isDone === null)) return { isDone: false, message: [NO_ANSWER] }
  const missing = results.find(({ isDone }) => !isDone)
  if (missing) {
    return { isDone: false, message: describeOpen(missing.record, missing.shown, results) }
  }
  const done = describeDone(records)
  if (unchecked === '') return { isDone: true, message: [done] }
  const rest = `We can’t check ${unchecked}. Check this step off once that’s published too.`
  return { isDone: false, message: [`${done} ${rest}`] }
}

const EVERY_SELECTOR =
  'This domain has a key at every selector, so we can’t check this. Check the step off once the service confirms that it works.'

/** @param {string} url */
function madeUpSelector(url) {
  const probe = new URL(url, location.href)
  probe.searchParams.set('selector', `no-key-${crypto.getRandomValues(new Uint32Array(1))}`)
  return probe.pathname + probe.search
}

/** @param {any} report */
function hasKeys(report) {
  return Array.isArray(report?.keys) && report.keys.length > 0
}

/**
 * @param {string} url
 * @returns {Promise<{ report?: unknown, problem?: string }>}
 */
async function fetchReport(url) {
  try {
    const headers = { Accept: 'application/json' }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const body = await response.json().catch(() => ({}))
    if (response.ok) return { report: body }
    if (typeof body.code === 'string' && body.code.startsWith('dns_')) return { problem: NO_ANSWER }
    return { problem: toDisplayText(`${body.detail ?? 'The check didn’t work. Try again later.'}`) }
  } catch {
    return { problem: 'No connection. Try again.' }
  }
}

/** @typedef {{ valid: boolean, record: string, name: string, cname: string[] }} Key */

/**
 * `isDone` is null if DNS did not answer, or if the answer is not that of the check.
 * @typedef {{ isDone: boolean | null, shown: string[] }} Comparison
 */

/** @type {Comparison} */
const UNKNOWN = { isDone: null, shown: [] }

/**
 * @param {RecordCheck} check
 * @param {any} report
 * @returns {Comparison}
 */
function compare(check, report) {
  const { searchParams } = new URL(check.url, location.href)
  if (report?.domain !== searchParams.get('domain')) return UNKNOWN
  switch (check.purpose) {
    case 'dkim':
      return compareKeys(check, report)
    case 'mx':
      return compareMailServers(check, report)
    case 'spf':
    case 'dmarc':
      return Array.isArray(report.records) ? compareTexts(check, report.records) : UNKNOWN
    default:
      return compareTransport(check, report)
  }
}

/**
 * @param {RecordCheck} check
 * @param {{ keys?: unknown, selectorsFailed?: unknown }} report
 * @returns {Comparison}
 */
function compareKeys(check, { keys, selectorsFailed }) {
  if (!Array.isArray(keys) || !Array.isArray(selectorsFailed)) return UNKNOWN
  if (selectorsFailed.length > 0) return UNKNOWN
  /** @type {Key[]} */
  const found = keys.filter(({ name }) => isSameName(name, check.name))
  const isDone = check.isDeleted
    ? !found.some((key) => hasValue(check, key))
    : found.some((key) => isWantedKey(check, key))
  return { isDone, shown: found.map(describeKey) }
}

/**
 * @param {RecordCheck} check
 * @param {{ records?: unknown }} report
 * @returns {Comparison}
 */
function compareMailServers({ value, isDeleted, replaces }, { records }) {
  if (!Array.isArray(records)) return UNKNOWN
  /** @type {string[]} */
  const shown = records.map(({ preference, exchange }) => `${preference} ${exchange}`)
  /** @param {string} text */
  const has = (text) => shown.some((each) => isSame('mx', each, text))
  if (isDeleted) return { isDone: !has(value ?? ''), shown }
  // A null MX works only alone.
  const isAlone = value !== '0 .' || shown.length === 1
  return { isDone: has(value ?? '') && isAlone && !replaces.some(has), shown }
}

/**
 * @param {RecordCheck} check
 * @param {{ transport?: any }} report
 * @returns {Comparison}
 */
function compareTransport(check, { transport }) {
  const found = transport?.[check.purpose === 'tls-rpt' ? 'tlsRpt' : 'mtaSts']
  if (typeof found?.present !== 'boolean') return UNKNOWN
  if (!found.present) return compareTexts(check, [])
  if (found.record === null) return { isDone: false, shown: ['more than one record'] }
  return compareTexts(check, [found.record])
}

/**
 * Receivers ignore all of these records if there are several.
 * @param {RecordCheck} check
 * @param {string[]} shown
 * @returns {Comparison}
 */
function compareTexts({ purpose, value, isDeleted }, shown) {
  const isFound = shown.some((text) => isSame(purpose, text, value ?? ''))
  return { isDone: isDeleted ? !isFound : isFound && shown.length === 1, shown }
}

/**
 * @param {RecordCheck} check
 * @param {Key} key
 */
function isWantedKey(check, key) {
  if (!key.valid) return false
  if (check.value !== null) return hasValue(check, key)
  return !check.replaces.some((value) => isSame('dkim', key.record, value))
}

/**
 * @param {RecordCheck} check
 * @param {Key} key
 */
function hasValue({ type, value }, { record, cname }) {
  return type === 'CNAME'
    ? cname.some((target) => isSameName(target, value ?? ''))
    : isSame('dkim', record, value ?? '')
}

/** @param {Key} key */
function describeKey({ valid, record, cname }) {
  const text = cname.length > 0 ? `CNAME ${cname[0]}` : record
  return valid ? text : `${text} (not a valid key)`
}

/**
 * @param {string} one
 * @param {string} other
 */
function isSameName(one, other) {
  return one.toLowerCase().replace(/\.$/, '') === other.toLowerCase().replace(/\.$/, '')
}

/**
 * Whitespace does not matter, nor does a final semicolon; letter case matters only in a key.
 * @param {string} purpose
 * @param {string} one
 * @param {string} other
 */
function isSame(purpose, one, other) {
  /** @param {string} text */
  const plain = (text) => {
    if (purpose === 'dkim') return text.replace(/\s|;\s*$/g, '')
    const lower = text.toLowerCase().trim()
    if (purpose === 'mx') return lower.replace(/(?<=\S)\.$/, '')
    return purpose === 'spf' ? lower.replace(/\s+/g, ' ') : lower.replace(/\s|;\s*$/g, '')
  }
  return plain(one) === plain(other)
}

/** @param {RecordCheck[]} records */
function describeDone(records) {
  if (records.every(({ isDeleted }) => isDeleted)) return 'Deleted: DNS no longer shows it.'
  const names = [...new Set(records.map(({ name }) => name))].join(', ')
  return `Published: DNS shows ${names} as planned.`
}

/** @type {Record<string, string>} */
const KINDS = {
  spf: 'SPF record',
  dmarc: 'DMARC record',
  dkim: 'DKIM key',
  mx: 'MX record',
  'tls-rpt': 'TLS-RPT record',
  'mta-sts': 'MTA-STS record',
}
const MAX_SHOWN = 200

/**
 * @param {RecordCheck} record
 * @param {string[]} shown
 * @param {{ isDone: boolean | null }[]} results
 */
function describeOpen({ purpose, name, isDeleted, ttl }, shown, results) {
  const done = results.filter(({ isDone }) => isDone).length
  const count = results.length > 1 ? `${done} of ${results.length} records are right. ` : ''
  const start = isDeleted ? 'Still published' : 'Not visible yet'
  const hours = Math.ceil(ttl / 3600)
  const wait = ` at ${name}. Changes can take up to ${hours > 1 ? `${hours} hours` : 'an hour'}.`
  if (shown.length === 0) return [`${count}${start}: DNS shows no ${KINDS[purpose]}${wait}`]
  const text = toDisplayText(shown.join(', '))
  const code = document.createElement('code')
  code.textContent = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return [`${count}${start}: DNS shows `, code, wait]
}

const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Shows invisible characters as code points, as the pages do.
 * @param {string} text */
function toDisplayText(text) {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    return `⟨U+${code}⟩`
  })
}
