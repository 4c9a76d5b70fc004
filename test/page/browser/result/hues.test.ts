import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../../conformance/client.ts'
import { choicePlus, gold, openAccess } from '../../../conformance/samples.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { awaitResult, expectAccessible, openTab, signIn } from '../open-tab.ts'

const codes = ['73721', '99213']

/** Lists the plans beside swatches within an element, each with its hue. */
async function readHues(page: Page, within: string): Promise<readonly string[]> {
  const swatches = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll(':is(${within}) .swatch')].map(({ className, parentElement }) =>
      parentElement.textContent.trim() + className)`,
  )
  return [...new Set(swatches)].map((text) => {
    const [, plan, hue] = /^(Harbor Choice Plus|Harbor PPO Gold|Ridge Open Access).*(hue-\w+)$/s.exec(text) ?? []
    return `${plan} ${hue}`
  })
}

describe.skipIf(!hasChromium)('the hues of plans', () => {
  const browser = useChromium()

  it('stay the same in sentence, plot, tables and matrix, and when another code is shown', async () => {
    const { job_id } = await completeSearch({ billing_codes: codes, fee_schedules: [gold, openAccess, choicePlus] })
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await awaitResult(page)
    const hues = new Set<string>()
    for (const within of ['.lead, .detail', '.strip .label', '.plot table', '.matrix thead', '[aria-label="Rows"]'])
      for (const hue of await readHues(page, within)) hues.add(hue)
    const expected = ['Harbor Choice Plus hue-1', 'Harbor PPO Gold hue-2', 'Ridge Open Access hue-3']
    expect([...hues].sort()).toEqual(expected)
    await page.getByRole('combobox', { name: 'Billing code' }).selectOption({ index: 1 })
    const strips = await readHues(page, '.strip .label')
    expect(strips.length).toBeGreaterThan(0)
    for (const strip of strips) expect(expected).toContain(strip)
    await expectAccessible(page, 'hues')
    expect(complaints).toEqual([])
    await close()
  })

  it('tell plans apart only if there are several', async () => {
    const { job_id } = await completeSearch({ billing_codes: codes, fee_schedules: [gold] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await awaitResult(page)
    expect(await page.locator('.swatch, [class*="hue-"]').count()).toBe(0)
    await close()
  })
})
