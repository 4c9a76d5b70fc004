import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatPercent } from '../../../client/results/comparison/change-notes.ts'
import { completeSearch, readManifest } from '../../conformance/client.ts'
import { gold } from '../../conformance/samples.ts'
import { writeByDuckdb } from '../../parquet/write-by-duckdb.ts'
import { root } from '../../templates/source-files.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { expectAccessible, openTab, signIn } from './open-tab.ts'
import { answerRange, isSigned } from './signed-files.ts'

const today = () => new Date().toISOString().slice(0, 10)

/** Returns the differences between two files of prices, by an outer join of their amounts. */
const outerJoin = `
  SELECT CASE WHEN o.amounts IS NULL THEN 'added' WHEN n.amounts IS NULL THEN 'removed' ELSE 'changed' END,
    CASE WHEN len(o.amounts) = 1 AND len(n.amounts) = 1 AND o.amounts[1] <> 0
      THEN round(100 * (n.amounts[1] / o.amounts[1] - 1), 2)::DOUBLE END,
    coalesce(array_to_string([printf('%.2f', a) FOR a IN o.amounts], ', '), ''),
    coalesce(array_to_string([printf('%.2f', a) FOR a IN n.amounts], ', '), ''),
    coalesce(o.code, n.code), coalesce(o.tin, n.tin)
  FROM older o FULL JOIN newer n USING (price_key) WHERE o.amounts IS DISTINCT FROM n.amounts`

/** Two files of prices that have rows for several providers, and what differs between them. */
async function makeTwoMonths(rows = 90) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'two-months-'))
  const connection = await (await DuckDBInstance.create()).connect()
  const files: ArrayBuffer[] = []
  for (const [month, name] of ['older', 'newer'].entries()) {
    const path = join(folder.path, `${name}.parquet`)
    await connection.run(`COPY (
      SELECT '${gold.payer}' AS payer, '${gold.plan}' AS plan, 'CPT' AS billing_code_type, (99210 + key % 7)::VARCHAR AS billing_code,
        '0' || (12345678 + key % 5) AS tin_value, 'usd' AS rate_unit, 1000000000 + copy AS npi, 'price-' || i AS price_id,
        ((1000 + key * 13 + CASE WHEN key % 4 = 0 THEN ${month} * (key + 1) * 10 ELSE 0 END) / 10)::DECIMAL(18, 4)
          AS negotiated_rate,
        md5(key::VARCHAR) AS price_key, DATE '2026-10-01' + INTERVAL (${month}) MONTH AS last_updated_on
      FROM (SELECT i, ${month} * 9 + i // 3 AS key, i % 3 AS copy FROM range(${rows}) t(i))
    ) TO '${path}' (FORMAT parquet)`)
    await connection.run(`CREATE TABLE ${name} AS SELECT price_key, any_value(billing_code) AS code, any_value(tin_value) AS tin,
      list(DISTINCT negotiated_rate::DOUBLE ORDER BY negotiated_rate::DOUBLE) AS amounts FROM '${path}' GROUP BY price_key`)
    files.push(new Uint8Array(readFileSync(path)).buffer)
  }
  const changes = (await connection.runAndReadAll(outerJoin)).getRowsJson()
  connection.closeSync()
  return {
    files,
    changes: changes.map(([change, percent, ...others]) =>
      [change, percent === null ? '' : formatPercent(Number(percent)), ...others].map(String),
    ),
  }
}

/** Writes the file of a result. */
const writeFile = async (query: string) => (await writeByDuckdb(query)).buffer

/** Makes two months of two plans with the same networks, of which one rises by 8 % and the other by 3 %. */
const makeTwoPlans = () =>
  Promise.all(
    [0, 1].map((month) =>
      writeFile(`
        SELECT 'Acme' AS payer, plan, 'CPT' AS billing_code_type, code AS billing_code, service AS name, '012345678' AS tin_value,
          'COAST RADIOLOGY' AS tin_business_name, 'usd' AS rate_unit, 1000000000 AS npi, plan || code AS price_id,
          md5(code) AS price_key, (amount * (100 + ${month} * percent) / 100)::DECIMAL(18, 4) AS negotiated_rate,
          DATE '2026-10-01' + INTERVAL (${month}) MONTH AS last_updated_on
        FROM (VALUES ('Gold', 8), ('Silver', 3)) AS plans(plan, percent),
          (VALUES ('73721', 'MRI of a knee', 100), ('99213', 'Office visit', 50)) AS codes(code, service, amount)`),
    ),
  )

/** Makes a file of an earlier version, which wrote no keys. */
const makeWithoutKeys = () =>
  writeFile(`
    SELECT '${gold.payer}' AS payer, '${gold.plan}' AS plan, '99213' AS billing_code, 1::DECIMAL(18, 4) AS negotiated_rate`)

/** Makes an earlier result of a search, which read loads of another day and has a file of its own. */
async function addEarlier(page: Page, jobId: string, files: readonly ArrayBuffer[], request: object = {}) {
  const olderId = randomUUID()
  const paths = new Map<string, ArrayBuffer>()
  await page.route(/\/v1\/searches(\?|\/)/, async (route) => {
    const asked = new URL(route.request().url())
    const isOlder = asked.pathname.includes(olderId)
    const answer = await route.fetch({ url: asked.href.replace(olderId, jobId) })
    const body = await answer.json()
    if (body.searches !== undefined) {
      const own = body.searches.find((each: { job_id: string }) => each.job_id === jobId)
      return await route.fulfill({ response: answer, json: { ...body, searches: [own, { ...own, job_id: olderId }] } })
    }
    if (body.download_urls !== undefined) {
      const [url] = body.download_urls
      body.download_urls = [isOlder ? url.replace('.parquet', '-older.parquet') : url]
      paths.set(new URL(body.download_urls[0]).pathname, files[isOlder ? 0 : 1] ?? new ArrayBuffer())
    } else if (isOlder) {
      const [plan] = body.fee_schedules
      body.fee_schedules = [{ ...plan, loaded_at: '2026-10-02T06:00:00.000+00:00', last_updated_on: '2026-10-01' }]
      body.request = { ...body.request, as_of: '2026-10-31', ...request }
    }
    return await route.fulfill({ response: answer, json: { ...body, ...(isOlder && { job_id: olderId }) } })
  })
  await page.route(isSigned, (route) =>
    answerRange(route, paths.get(new URL(route.request().url()).pathname) ?? new ArrayBuffer()),
  )
  return olderId
}

describe.skipIf(!hasChromium)('the changes since an earlier result', () => {
  const browser = useChromium()
  const search = { billing_codes: ['99213', '99214'], fee_schedules: [gold] }

  it('equal an outer join of both files, and the address shows them again', async () => {
    const { files, changes } = await makeTwoMonths()
    const { job_id } = await completeSearch(search)
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    const olderId = await addEarlier(page, job_id, files)
    await signIn(page)
    await page.getByRole('button', { name: 'Compare with October 2026' }).click()
    await page.getByRole('button', { name: 'Compare with another result' }).click()
    const choice = page.getByLabel('Compare with').locator(`option[value="${olderId}"]`)
    await expect
      .poll(() => choice.textContent())
      .toMatch(/^published October 2026, as of 2026-10-31, searched \w+ \d+, /)
    await expect.poll(() => page.getByLabel('Compare with').inputValue()).toBe(olderId)
    await page.getByLabel('Compare with').selectOption('')
    await page.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' })
    await page.getByLabel('Compare with').selectOption(olderId)
    const table = page.getByRole('region', { name: 'Changes' }).getByRole('table')
    await table.waitFor()
    expect(new URL(page.url()).hash).toBe(`#/searches/${job_id}?compare=${olderId}`)
    const counts = ['added', 'removed', 'changed'].map((kind) => changes.filter(([change]) => change === kind).length)
    expect(counts.every((count) => count > 0)).toBe(true)
    const answer = page.locator('#changes-title ~ .answer')
    await expect
      .poll(() => answer.textContent())
      .toMatch(
        new RegExp(
          `^From October 2026 to November 2026, .*${counts[2]} of \\d+ changed.*${counts[0]} prices were added and ${counts[1]} prices were removed`,
        ),
      )
    const rowsOf = async () => {
      const cells = await table.locator('tbody td').allTextContents()
      const rows = Array.from({ length: cells.length / 6 }, (_, row) => cells.slice(row * 6, row * 6 + 6))
      return rows.map(([change, percent, ...others]) => [change, percent, ...others].join('|')).sort()
    }
    await expect.poll(rowsOf).toEqual(changes.map((row) => row.join('|')).sort())
    await expectAccessible(page, 'compared')
    const line = page.getByRole('status').filter({ hasText: 'What changed since October 2026:' })
    await expect.poll(() => line.textContent()).toMatch(new RegExp(`: .*${counts[2]} of \\d+ `))
    await line.getByRole('button').click()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('changes-title')
    await page.reload()
    await table.waitFor()
    await expect.poll(rowsOf).toEqual(changes.map((row) => row.join('|')).sort())
    await page.getByLabel('Filter these changes').fill('changed 99212')
    const matches = changes.filter(([change, , , , code]) => change === 'changed' && code === '99212')
    expect(matches.length).toBeGreaterThan(0)
    await expect.poll(rowsOf).toEqual(matches.map((row) => row.join('|')).sort())
    expect(complaints).toEqual([])
    await page.setViewportSize({ width: 375, height: 800 })
    await page.screenshot({ path: join(root, 'build/screenshots/compared-on-a-phone.png'), fullPage: true })
    await close()
  })

  it('stay hidden for a result that is too large, which is left to the command line', async () => {
    const { files } = await makeTwoMonths(300_000)
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser())
    const olderId = await addEarlier(page, job_id, files)
    await signIn(page)
    await page.evaluate(`location.hash = '#/searches/${job_id}?compare=${olderId}'`)
    await page.getByText('What changed: one of the results is too large to be compared here').waitFor()
    await page.getByText('One of these results is too large').waitFor()
    const [older, newer] = [olderId, job_id].map((id) => `rates-${id.slice(0, 8)}/`)
    await page.getByText(`rate-search download ${olderId} --out ${older}`).waitFor()
    await page.getByText(`rate-search diff ${older} ${newer}`).waitFor()
    await expect.poll(() => page.locator('#changes-title ~ .answer').count()).toBe(0)
    await expectAccessible(page, 'compared-too-large')
    await close()
  })

  it('stand by plan and code, with names, if plans share the keys of their prices', async () => {
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser())
    const olderId = await addEarlier(page, job_id, await makeTwoPlans())
    await signIn(page)
    await page.evaluate(`location.hash = '#/searches/${job_id}?compare=${olderId}'`)
    const answer = page.locator('#changes-title ~ .answer .lead')
    await expect
      .poll(async () => (await answer.textContent())?.replaceAll('\u00a0', ' '))
      .toBe(
        'From October 2026 to November 2026, the median change is +8 % in Gold and +3 % in Silver: 4 of 4 prices changed.',
      )
    const medians = page.getByRole('region', { name: 'Medians by plan' }).getByRole('row')
    await expect
      .poll(async () => (await medians.allTextContents()).map((text) => text.replaceAll('\u00a0', ' ')))
      .toEqual([
        'CodeGold Silver ',
        'ChangedMedian of the changedAddedRemoved'.repeat(2),
        'All codes2 of 2+8 %––2 of 2+3 %––',
        'CPT 73721 MRI of a knee1 of 1+8 %––1 of 1+3 %––',
        'CPT 99213 Office visit1 of 1+8 %––1 of 1+3 %––',
      ])
    const columns = page.getByRole('region', { name: 'Changes', exact: true }).locator('thead th')
    await expect
      .poll(() => columns.allTextContents())
      .toEqual(['Change', 'Percent', 'Old', 'New', 'Billing code', 'Name', 'Provider', 'Plan'])
    const first = page.getByRole('region', { name: 'Changes', exact: true }).locator('tbody tr').first()
    await expect
      .poll(async () => (await first.textContent())?.replace('\u00a0', ' '))
      .toMatch(/^changed\+8 %100\.00108\.0073721MRI of a kneeCOAST RADIOLOGYGold/)
    await expectAccessible(page, 'compared-by-plan')
    await page.setViewportSize({ width: 390, height: 844 })
    const items = page.getByRole('region', { name: 'Medians by plan' }).getByRole('listitem')
    await expect
      .poll(async () => (await items.allTextContents()).map((text) => text.replaceAll('\u00a0', ' ')))
      .toEqual(
        [2, 1, 1].flatMap((count) => [
          `Gold ${count} of ${count} changed+8 %`,
          `Silver ${count} of ${count} changed+3 %`,
        ]),
      )
    await expectAccessible(page, 'compared-by-plan-on-a-phone')
    await close()
  })

  it('say why an earlier result without keys cannot be compared', async () => {
    const { files } = await makeTwoMonths()
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser())
    const olderId = await addEarlier(page, job_id, [await makeWithoutKeys(), ...files.slice(1)])
    await signIn(page)
    await page.evaluate(`location.hash = '#/searches/${job_id}?compare=${olderId}'`)
    await page.getByText('These results cannot be compared: the older result has a row without price_key').waitFor()
    await page.getByText('What changed: these results cannot be compared.').waitFor()
    await expectAccessible(page, 'not-comparable')
    await close()
  })

  it('say why an earlier result of another request cannot be compared', async () => {
    const { files } = await makeTwoMonths()
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser())
    const olderId = await addEarlier(page, job_id, files, { billing_codes: ['99215'] })
    await signIn(page)
    await page.evaluate(`location.hash = '#/searches/${job_id}?compare=${olderId}'`)
    await page.getByText('These results cannot be compared: the searches did not ask for the same').waitFor()
    await page.getByText('What changed: these results cannot be compared.').waitFor()
    await page.getByRole('button', { name: 'Compare with another result' }).click()
    const none = page.getByText('None of the latest 100 searches is of the same request with earlier rates')
    await expect.poll(() => none.getByRole('link').getAttribute('href')).toContain('codes=99213+99214')
    await close()
  })
})

describe.skipIf(!hasChromium)('a search as of a day', () => {
  const browser = useChromium()

  it('keeps its day in the estimate, in the search and in its link', async () => {
    const day = today()
    const link = `#/?${new URLSearchParams(gold)}&codes=99213&as_of=${day}`
    const { page, close } = await openTab(browser(), {}, link)
    await signIn(page)
    await page.getByText(/^Reads /).waitFor()
    await expect.poll(() => page.getByLabel('As of').inputValue()).toBe(day)
    await page.getByLabel('As of').fill('2020-01-01')
    await page.getByText('cannot be searched').waitFor()
    await page.getByText(/the search would fail: At the end of 2020-01-01 .* Choose a later day\.$/).waitFor()
    await expectAccessible(page, 'as-of-nothing')
    await page.getByLabel('As of').fill('2999-01-01')
    await page.getByText('must not be after today').waitFor()
    await page.getByLabel('As of').fill(day)
    await page.getByText(/^Reads /).waitFor()
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByText(`At the end of ${day} (UTC)`).waitFor()
    const [, jobId = ''] = /searches\/(.*)$/.exec(page.url()) ?? []
    expect((await readManifest(jobId)).request.as_of).toBe(day)
    await page.getByRole('link', { name: 'Change this search' }).click()
    await expect.poll(() => page.getByLabel('As of').inputValue()).toBe(day)
    await close()
  })
})
