import { describe, expect, it } from 'vitest'
import type { SearchesBody, SearchListItemBody } from '../../../contract/search-api.ts'
import { call, completeSearch, createSearch, failSearch, listSearches, otherKey, ownKey } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { gold, silver, smallSearch } from '../samples.ts'

/** Finds a search's summary in the list. The index may lag, so a search that was just created can be missing. */
async function find(jobId: string, query = '', key = ownKey): Promise<SearchListItemBody | undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: SearchesBody = await listSearches(`?limit=100${query}${cursor ? `&cursor=${cursor}` : ''}`, key)
    const summary = page.searches.find(({ job_id }) => job_id === jobId)
    if (summary) return summary
    cursor = page.next_cursor
  }
  return undefined
}

describe('the list of searches', () => {
  it('shows a completed search with the size of its result, and no URLs', async () => {
    const search = await completeSearch({ ...smallSearch, fee_schedules: [gold, silver] })
    const summary = await find(search.job_id)
    const { status, created_at, completed_at } = search
    expect(summary).toMatchObject({ status, created_at, completed_at, fee_schedule_count: 2 })
    const feeSchedules = [summary?.first_fee_schedule, ...(summary?.next_fee_schedules ?? [])]
    expect(new Set(feeSchedules)).toEqual(new Set([gold, silver]))
    expect(JSON.stringify(summary)).not.toContain('http')
  })

  it('shows a failed search with its error', async () => {
    const search = await failSearch({ ...smallSearch, fee_schedules: [{ payer: 'Nobody', plan: 'None' }] })
    expect(await find(search.job_id)).toMatchObject({ status: 'failed', error: search.error })
    expect(await find(search.job_id, '&status=failed')).toMatchObject({ status: 'failed' })
    expect(await find(search.job_id, '&status=completed')).toBeUndefined()
  })

  it('shows the newest search first, and every search once over its pages', async () => {
    const created = []
    for (let count = 0; count < 3; count++) created.push((await createSearch(smallSearch, otherKey)).job_id)
    const pages: SearchesBody[] = []
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null)
      pages.push(await listSearches(`?limit=2${cursor && `&cursor=${cursor}`}`, otherKey))
    const listed = pages.flatMap(({ searches }) => searches)
    expect(new Set(listed.map(({ job_id }) => job_id)).size).toBe(listed.length)
    const times = listed.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted().reverse())
    const positions = created.map((id) => listed.findIndex(({ job_id }) => job_id === id))
    expect(positions).toEqual(positions.toSorted((a, b) => b - a))
  })

  it("shows no search of another organization, and refuses that organization's cursor", async () => {
    const [search] = [
      await createSearch(smallSearch),
      await createSearch(smallSearch),
      await createSearch(smallSearch, otherKey),
    ]
    expect(await find(search.job_id)).toMatchObject({ job_id: search.job_id })
    expect(await find(search.job_id, '', otherKey)).toBeUndefined()
    const { next_cursor: cursor } = await listSearches('?limit=1')
    const refused = expectRefusal(await call(`/v1/searches?cursor=${cursor}`, { key: otherKey }), [
      400,
      'invalid_request',
    ])
    expect(faultPaths(refused)).toEqual(['cursor'])
  })

  it('refuses parameters with 400, naming each', async () => {
    const answer = await call('/v1/searches?limit=x&status=y&cursor=z')
    const paths = faultPaths(expectRefusal(answer, [400, 'invalid_request']))
    expect(paths).toEqual(['cursor', 'limit', 'status'])
  })
})
