import { describe, expect, it } from 'vitest'
import { gold } from '../../../conformance/samples.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { awaitResult, expectAccessible, openTab, signIn } from '../open-tab.ts'

describe.skipIf(!hasChromium)('finding a plan on the page', () => {
  const browser = useChromium()

  it.each(['gold blue', 'harb go', 'harbr glod', '04-12345678'])('works with %j', async (typed) => {
    const { page, complaints, close } = await openTab(browser())
    await signIn(page)
    await page.getByRole('combobox', { name: 'Fee schedules' }).fill(typed)
    await page.getByRole('option', { name: gold.plan }).click()
    await page.getByRole('list', { name: 'Chosen fee schedules' }).getByText(gold.plan).first().waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  it('says of words that nothing has what is found', async () => {
    const { page, complaints, close } = await openTab(browser())
    await signIn(page)
    await page.getByRole('combobox', { name: 'Fee schedules' }).fill('harbor lagoon')
    await page.getByText('Nothing has all of these words').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  it('offers all plans of a plan id, whose search names them, and can be linked to', async () => {
    const { page, complaints, close } = await openTab(browser())
    await signIn(page)
    await page.getByRole('combobox', { name: 'Fee schedules' }).fill('0412345678')
    await page.getByRole('option', { name: 'All plans of id 0412345678' }).click()
    await page.getByLabel('Billing codes').fill('99213')
    await expectAccessible(page, 'plan-id')
    await page.getByRole('button', { name: 'Start search' }).click()
    await awaitResult(page)
    await page.getByText(gold.plan).first().waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})
