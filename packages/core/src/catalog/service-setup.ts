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
  if (screen === null && getValues === undefined && turnOn === undefined) {
    return hasValuesToCopy
      ? `Copy the values from the DKIM settings of the domain in ${name}.`
      : `There is nothing to copy. Check in the domain settings of ${name} that it has found the records and signs.`
  }
  const open = screen && `In ${name}, open ${screen.path}`
  if (!hasValuesToCopy && getValues === undefined && turnOn === undefined) {
    return `There is nothing to copy. ${open} and check that it has found the records.`
  }
  const copy = hasValuesToCopy ? 'Copy the values.' : undefined
  return [open && `${open}.`, getValues ?? copy, turnOn].filter((sentence) => sentence).join(' ')
}
