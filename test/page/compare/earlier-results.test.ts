import { describe, expect, it } from 'vitest'
import type { Manifest, SearchRequest } from '../../../client/api.ts'
import { SearchCalls } from '../../../client/search-calls.ts'
import { describeResult, findEarlierResults } from '../../../page/compare/earlier-results.ts'
import { fieldCases } from '../../client/request-fields.ts'

/** Makes the manifest of a running search that reads rates published on some days. */
const makeManifest = (days: readonly (string | null)[], asOf?: string): Manifest => ({
  job_id: '2a39443a-064f-4d78-b562-c11683209ccf',
  created_at: '2026-11-24T15:13:07.000+00:00',
  request: { fee_schedules: [], ...(asOf !== undefined && { as_of: asOf }) },
  attempts: [],
  fee_schedules: days.map((day) => ({
    payer: 'Acme',
    plan: 'Gold',
    loaded_at: null,
    last_updated_on: day,
    partial: null,
    without_descriptions: null,
    superseded: null,
    plan_ids: [],
    plan_id_count: 0,
    file_count: 1,
    plan_sponsor_names: [],
  })),
  nppes_month: null,
  status: 'processing',
})

describe('the choice of an earlier result', () => {
  it('names the month in which its rates were published before the day of its search', () => {
    expect(describeResult(makeManifest(['2026-10-01', '2026-10-15']))).toMatch(
      /^published October 2026, searched Nov 24, /,
    )
  })

  it('names the first and the last of several months, and the day that was asked for', () => {
    expect(describeResult(makeManifest(['2026-10-01', null, '2026-08-01', '2026-09-01'], '2026-10-31'))).toMatch(
      /^published August 2026 to October 2026, as of 2026-10-31, searched /,
    )
  })

  it('consists of the search if no month is known', () => {
    expect(describeResult(makeManifest([null]))).toMatch(/^searched Nov 24, /)
  })
})

/** Opens a service whose list has one completed search, from the time before lists named filters. */
const openCalls = (manifest: Manifest) =>
  new SearchCalls({
    url: 'https://rates.example',
    key: 'rates_key',
    fetch: async (url) => {
      const isManifest = new URL(String(url)).pathname.endsWith('/manifest')
      return Response.json(isManifest ? manifest : { searches: [{ job_id: manifest.job_id }], next_cursor: null })
    },
  })

describe('the earlier results of a search', () => {
  const withRequest = ({ summary, ...filters }: SearchRequest, job_id: string, created_at: string): Manifest => {
    const request = { ...filters, ...(summary && { summary: { weight: 'tins', by: [], ...summary } as const }) }
    return { ...makeManifest(['2026-10-01']), ...{ job_id, created_at }, request }
  }

  it.each(fieldCases)(
    'include one with another $field only if no rate depends on it',
    async ({ field, request, other }) => {
      const newer = withRequest(request, 'newer', '2026-11-24T00:00:00.000+00:00')
      const find = (asked: SearchRequest) => {
        const older = withRequest(asked, 'older', '2026-10-24T00:00:00.000+00:00')
        return findEarlierResults(openCalls(older), newer)
      }
      const isFree = ['as_of', 'max_bytes', 'summary.count_providers'].includes(field)
      expect(await find(other)).toHaveLength(isFree ? 1 : 0)
      expect(await find(request)).toHaveLength(1)
    },
  )
})
