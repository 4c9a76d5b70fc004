import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../../core/catalogue/catalogue-entry.ts'
import { extendHistory } from '../../../../core/catalogue/history.ts'
import { resolveFeeSchedules } from '../../../../core/catalogue/resolving/resolve-fee-schedules.ts'
import { InvalidRequest } from '../../../../core/errors.ts'
import { openOwnRates } from '../../../../core/own-relation/own-rates.ts'
import { parseSearchRequest } from '../../../../core/search/parse-search-request.ts'
import { newContent, newEntry } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'

const now = () => new Date('2026-11-23T09:00:00Z')
const gold = { payer: 'Acme', plan: 'Gold' }

/** The entry of a plan that was switched to a content on each of some days. */
function switchedOn(days: readonly string[], from?: CatalogueEntry): CatalogueEntry {
  return days.reduce<CatalogueEntry | undefined>((current, day, index) => {
    const entry = newEntry({ ...gold, contentId: `c${index + 1}` })
    return { ...entry, history: extendHistory(current, entry.state, new Date(`${day}T12:00:00Z`)) }
  }, from) as CatalogueEntry
}

async function resolve(entry: CatalogueEntry, asOf: string, first?: string) {
  const catalogue = createMemoryCatalogue([entry])
  if (first !== undefined) await catalogue.writeKeptDays({ months: 0, formerFirst: first, changedAt: now() })
  const contents = createMemoryContents()
  for (const id of ['c1', 'c2', 'c3']) contents.contents.set(id, newContent(id))
  return resolveFeeSchedules({ catalogue, contents, now }, { feeSchedules: [gold], asOf })
}

describe('a search as of a day', () => {
  const entry = switchedOn(['2026-09-01', '2026-10-01', '2026-10-01', '2026-11-01'].slice(0, 2).concat('2026-11-01'))

  it.each([
    ['2026-09-01', 'c1'],
    ['2026-09-30', 'c1'],
    ['2026-10-01', 'c2'],
    ['2026-10-31', 'c2'],
    ['2026-11-01', 'c3'],
    ['2026-11-23', 'c3'],
  ])('reads what was active at the end of %s', async (day, contentId) => {
    expect(await resolve(entry, day)).toEqual({ contents: [contentId] })
  })

  it('names the fee schedules that were not loaded then', async () => {
    expect(await resolve(entry, '2026-08-31')).toEqual({
      failure: {
        word: 'unsupported_fee_schedule',
        sentence:
          'At the end of 2026-08-31 these could not be searched: "Gold" of "Acme". See `changed_on` in GET /v1/fee-schedules.',
      },
    })
  })

  it('fails for a day that is no longer kept, and names the first day that is', async () => {
    const sentence =
      'What these fee schedules had earlier is not kept. Send `as_of` with 2026-11-23, the first day kept, or a later one.'
    const failure = { word: 'not_kept', sentence }
    expect(await resolve(entry, '2026-11-22', '2026-10-15')).toEqual({ failure })
  })

  it('fails for what an earlier version wrote, until the day after its next change', async () => {
    const before = newEntry({ ...gold, contentId: 'c1' })
    expect(await resolve(before, '2026-11-22')).toMatchObject({ failure: { word: 'not_kept' } })
    const after = switchedOn(['2026-11-02'], before)
    expect(await resolve(after, '2026-11-01')).toMatchObject({ failure: { word: 'not_kept' } })
    expect(await resolve(after, '2026-11-02')).toEqual({ contents: ['c1'] })
  })

  it('over an own relation is refused in one sentence', async () => {
    const catalogue = createMemoryCatalogue([entry])
    const request = { feeSchedules: [gold], asOf: '2026-11-23' }
    expect(await openOwnRates({ catalogue, now }, []).choose(request)).toEqual({
      failure: {
        word: 'not_kept',
        sentence: "This service searches its operator's own relation, which has no history: leave out `as_of`.",
      },
    })
  })

  it.each([
    ['2026-11-24', 'must not be after today, 2026-11-23 in UTC; got "2026-11-24"'],
    ['2026-02-30', 'must be a day, YYYY-MM-DD; got "2026-02-30"'],
    ['2026-11-20T00:00:00Z', 'must be a day, YYYY-MM-DD; got "2026-11-20T00:00:00Z"'],
    [20261120, 'must be a day, YYYY-MM-DD; got 20261120'],
    [null, 'must be a day, YYYY-MM-DD; got null'],
  ])('cannot be of %s', (as_of, message) => {
    const body = { billing_codes: ['99213'], fee_schedules: [gold], as_of }
    const faults = [{ path: 'as_of', message }]
    expect(() => parseSearchRequest(body, [], now())).toThrow(new InvalidRequest(faults))
  })
})
