/** How customers of a service get the values of its records and turn on signing. */
import type { DkimSetup } from './service-schema.js'

/** A token that only the service knows. */
const UNKNOWN_TOKEN = /(?<!%)\{(?!d\}|dd\}|d_\})/

/** How to get the values of the records and turn on signing. */
export function describeSetup(name: string, dkim: DkimSetup): string {
  const { records, screen, getValues, turnOn } = dkim
  const hasValuesToCopy =
    records.length === 0 ||
    records.some(({ selector, value }) => UNKNOWN_TOKEN.test(`${selector} ${value}`))
  const nothingToCopy = `There’s nothing to copy, because the DKIM records for ${name} are known in advance.`
  if (screen === null && getValues === undefined && turnOn === undefined) {
    return hasValuesToCopy
      ? `Copy the values from your domain’s DKIM settings in ${name}.`
      : `${nothingToCopy} In the domain settings of ${name}, check that it has found them and signs your mail.`
  }
  const open = screen && `In ${name}, open ${screen.path}`
  if (!hasValuesToCopy && getValues === undefined && turnOn === undefined) {
    return `${nothingToCopy} ${open} and check that it has found them.`
  }
  const copy = hasValuesToCopy ? 'Copy the values.' : undefined
  return [open && `${open}.`, getValues ?? copy, turnOn].filter((sentence) => sentence).join(' ')
}
