/** axe-core's judgement on a page as it stands: on a phone and a desk, in light and dark. */
import { source } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const WIDTHS = [360, 1280]
const SCHEMES = ['light', 'dark'] as const

/** Nothing may be hidden from it behind a summary. */
const UNFOLD = 'for (const details of document.querySelectorAll("details")) details.open = true'
const RUN = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html)))`

export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(UNFOLD)
  await page.evaluate(source)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate('document.documentElement.scrollWidth'), 'width').toBe(width)
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      expect(await page.evaluate(RUN), `${width} px, ${colorScheme}`).toEqual([])
    }
  }
}
