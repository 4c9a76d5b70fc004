import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../../conformance/client.ts'
import { choicePlus, openAccess } from '../../../conformance/samples.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { expectAccessible, openTab, signIn } from '../open-tab.ts'

const search = { billing_codes: ['73721'], fee_schedules: [choicePlus, openAccess] }

/** Counts the pixels of a picture in the clipboard that have each colour, in the page. */
const readClipboard = `(async () => {
  const [item] = await navigator.clipboard.read()
  const picture = await createImageBitmap(await item.getType('image/png'))
  const canvas = new OffscreenCanvas(picture.width, picture.height)
  const context = canvas.getContext('2d')
  context.drawImage(picture, 0, 0)
  const { data } = context.getImageData(0, 0, picture.width, picture.height)
  const colors = {}
  for (let at = 0; at < data.length; at += 4) {
    const color = [data[at], data[at + 1], data[at + 2]].map((part) => part.toString(16).padStart(2, '0')).join('')
    colors[color] = (colors[color] ?? 0) + 1
  }
  return { width: picture.width, height: picture.height, colors }
})()`

interface Clipboard {
  readonly width: number
  readonly height: number
  readonly colors: Readonly<Record<string, number>>
}

const readPicture = (page: Page) => page.evaluate<Clipboard>(readClipboard)

describe.skipIf(!hasChromium)('the picture of the plot', () => {
  const browser = useChromium()

  it('goes to the clipboard in the colours of the light mode, with the highlight, from a dark page on a phone', async () => {
    const { job_id } = await completeSearch(search)
    const options = { colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const
    const { page, complaints, close } = await openTab(browser(), options, `#/searches/${job_id}?where=%24350`)
    await signIn(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('.strip .place').first().waitFor()
    await page.getByRole('button', { name: 'Copy as picture' }).click()
    await page.getByText('The picture is in the clipboard.').waitFor()
    const { width, height, colors } = await readPicture(page)
    expect(width).toBe(2400)
    expect(height).toBeGreaterThan(800)
    expect((colors['ffffff'] ?? 0) / (width * height)).toBeGreaterThan(0.8)
    // The highlight, the text, the lines of the quartiles and the hues of both plans, as the light mode has them.
    for (const color of ['8f1d74', '1c2426', '7d888d', '0b5c66', '8b7bb6'])
      expect(colors[color] ?? 0, color).toBeGreaterThan(100)
    await expectAccessible(page, 'picture')
    expect(complaints).toEqual([])
    await close()
  })

  it('becomes a file if the browser has no clipboard for it', async () => {
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })')
    await signIn(page)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Copy as picture' }).click(),
    ])
    await page.getByText('The browser refused its clipboard: the picture is saved as a file.').waitFor()
    expect(saved.suggestedFilename()).toBe('73721-harbor-choice-plus-1-plot.png')
    const bytes = await readFile(await saved.path())
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    // The width of the picture. Source: PNG specification, IHDR.
    expect(bytes.readUInt32BE(16)).toBe(2400)
    await close()
  })
})
