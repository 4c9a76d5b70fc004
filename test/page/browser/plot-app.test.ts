import type { BrowserContextOptions } from 'playwright-core'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { connectByHttp } from '../../conformance/assistants/connect.ts'
import { choicePlus, openAccess } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { hostPolicy, writeHostPage } from './host-page.ts'
import { expectAccessible } from './open-tab.ts'

const uri = 'ui://rates/plot'
const resource = v.object({ contents: v.tuple([v.object({ text: v.string() })]) })
const answer = v.object({
  structuredContent: v.object({
    columns: v.array(v.string()),
    rows: v.array(v.array(v.unknown())),
    same_in_all_rows: v.record(v.string(), v.unknown()),
  }),
})

/** Asks the service as a host does: for the document, and for the answer of the tool. */
async function ask() {
  await using assistant = await connectByHttp('2025-11-25')
  const { contents } = v.parse(resource, await assistant.client.readResource({ uri }))
  const fee_schedules = [choicePlus, openAccess]
  const args = { billing_codes: ['73721'], fee_schedules, wait_seconds: 20 }
  const result = await assistant.client.callTool({ name: 'summarise_rates', arguments: args })
  return { document: contents[0].text, result }
}

const message = v.object({
  id: v.optional(v.unknown()),
  method: v.optional(v.string()),
  result: v.optional(v.unknown()),
  error: v.optional(v.object({ code: v.number() })),
})

describe.skipIf(!hasChromium)('the plot of an assistant', () => {
  const browser = useChromium()

  /** Shows a document in the page of a host. */
  async function show(document: string, result: unknown, theme: 'light' | 'dark', options: BrowserContextOptions = {}) {
    const context = await browser().newContext({ locale: 'en-US', viewport: { width: 800, height: 900 }, ...options })
    const page = await context.newPage()
    const complaints: string[] = []
    const requests: string[] = []
    page.on('console', (said) => complaints.push(said.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => requests.push(request.url()))
    await context.route('https://host.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'Content-Security-Policy': hostPolicy },
        body: writeHostPage({ document, result, theme }),
      }),
    )
    await page.goto('https://host.example/')
    const readMessages = async () => v.parse(v.array(message), await page.evaluate('messages'))
    return {
      page,
      view: page.frameLocator('#view'),
      readGround: () => page.frames()[1]?.evaluate('getComputedStyle(document.documentElement).backgroundColor'),
      complaints,
      requests,
      readMessages,
      tell: (said: object) => page.evaluate(`tell(${JSON.stringify(said)})`),
      close: () => context.close(),
    }
  }

  it.each([
    ['light', { viewport: { width: 800, height: 900 } }],
    ['dark', { viewport: { width: 360, height: 800 } }],
  ] as const)(
    'draws the medians of the answer in the %s theme of a host, and loads nothing',
    async (theme, options) => {
      const { document, result } = await ask()
      const shown = await show(document, result, theme, options)
      const { page, view, complaints, requests, readMessages, readGround, close } = shown
      await view.locator('.spread').first().waitFor()
      const { columns, rows, same_in_all_rows } = v.parse(answer, result).structuredContent
      const place = columns.indexOf('median')
      expect(place).toBeGreaterThan(-1)
      expect(rows.length).toBeGreaterThan(5)
      const read = (values: readonly unknown[]) =>
        values.map((value) => Number.parseFloat(String(value).replace(/[$,]/g, ''))).toSorted((a, b) => a - b)
      const drawn = await view.locator('.spread .amount').allTextContents()
      expect(read(drawn)).toEqual(read(rows.map((row) => row[place])))
      expect(same_in_all_rows).toMatchObject({ billing_code: '73721' })
      await view.getByText('Counted by tins: each TIN once for each amount.').waitFor()
      // The frame is as high as its content, in the colours of the host and not of the browser.
      const inner = await view.locator('main').evaluate((main) => main.getBoundingClientRect().height)
      await expect
        .poll(async () => Math.ceil((await page.locator('#view').boundingBox())?.height ?? 0))
        .toBe(Math.ceil(inner))
      expect(await readGround()).toBe(theme === 'dark' ? 'rgb(20, 25, 26)' : 'rgb(251, 251, 250)')
      const methods = (await readMessages()).map(({ method }) => method)
      expect(methods.slice(0, 3)).toEqual([
        'ui/initialize',
        'ui/notifications/initialized',
        'ui/notifications/size-changed',
      ])
      await expectAccessible(page, `plot-app-${theme}`)
      expect(requests).toEqual(['https://host.example/'])
      expect(complaints).toEqual([])
      await close()
    },
  )

  it('answers a host, follows its theme, and writes names of payers as text', async () => {
    const { document } = await ask()
    const hostile = '<img src=x onerror="parent.postMessage(1)">'
    const columns = ['payer', 'plan', 'billing_code', 'value_count', 'minimum', 'median', 'maximum', 'rate_unit']
    const row = [hostile, hostile, '1', 1, 5, 5, 5, 'usd']
    const result = { content: [], structuredContent: { same_in_all_rows: {}, columns, rows: [row] } }
    const { view, complaints, readMessages, readGround, tell, close } = await show(document, result, 'light')
    await view.getByText(hostile).first().waitFor()
    expect(await view.locator('img[src]').count()).toBe(0)
    await tell({ id: 'p', method: 'ping' })
    await tell({ id: 'x', method: 'tools/list' })
    await tell({ id: 't', method: 'ui/resource-teardown', params: { reason: 'end' } })
    const findAnswer = async (id: string) => (await readMessages()).find((said) => said.id === id)
    await expect.poll(() => findAnswer('t')).toMatchObject({ result: {} })
    expect(await findAnswer('p')).toMatchObject({ result: {} })
    expect(await findAnswer('x')).toMatchObject({ error: { code: -32601 } })
    await tell({ method: 'ui/notifications/host-context-changed', params: { theme: 'dark' } })
    await expect.poll(readGround).toBe('rgb(20, 25, 26)')
    await tell({ method: 'ui/notifications/tool-cancelled', params: { reason: 'user' } })
    await view.getByText('The question was cancelled.').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    ['an error', { isError: true, content: [{ type: 'text', text: 'quota' }] }],
    [
      'a search that runs',
      { content: [], structuredContent: { state: 'running', job_id: 'j', next: 'Call get_search.' } },
    ],
    ['no matching rate', { content: [], structuredContent: { columns: [], rows: [], same_in_all_rows: {} } }],
  ])('says that there is nothing to draw for %s', async (_, result) => {
    const { document } = await ask()
    const { view, complaints, close } = await show(document, result, 'light')
    await view.getByText('This answer has no statistics to draw.').waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})
