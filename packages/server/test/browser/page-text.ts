/** The visible text of a page, with white space normalized. */
import type { Locator } from 'playwright-core'

export async function visibleTexts(locator: Locator): Promise<string[]> {
  const texts = await locator.allInnerTexts()
  return texts.map((text) => text.replace(/\s+/g, ' ').trim())
}

/** Waits for the element; fails if there are several. */
export async function visibleText(locator: Locator): Promise<string> {
  await locator.waitFor({ state: 'attached' })
  const [text, ...others] = await visibleTexts(locator)
  if (text === undefined || others.length > 0) throw new Error(`${others.length + 1} of ${locator}`)
  return text
}

/** The values of fact lists, by label. */
export async function readFacts(section: Locator): Promise<Record<string, string>> {
  const values = await visibleTexts(section.locator('.facts dd'))
  const names = await visibleTexts(section.locator('.facts dt'))
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}
