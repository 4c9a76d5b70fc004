import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../../client/api.ts'
import { fieldCases } from '../request-fields.ts'
import { json, openTools } from './open-tools.ts'

const [first, second] = ['2a39443a-064f-4d78-b562-c11683209ccf', '2a39443a-064f-4d78-b562-c11683209ccd']

/** The manifest of a summary without rows. */
const manifestOf = (job_id: string, { summary, ...request }: SearchRequest) => ({
  job_id,
  created_at: '2026-11-28T00:00:00.000+00:00',
  status: 'completed',
  request: { ...request, summary: { weight: 'tins', by: [], ...summary } },
  attempts: [],
  fee_schedules: [],
  nppes_month: null,
  rows: 0,
  bytes: 0,
  truncated: false,
  without_rows: null,
  columns: [],
  shards: [],
})

async function compare(one: SearchRequest, other: SearchRequest): Promise<string> {
  const { send } = openTools((path) =>
    json(path.includes(first) ? manifestOf(first, one) : manifestOf(second, other))(),
  )
  return await send('tools/call', { name: 'compare_summaries', arguments: { first, second } })
}

// A summary has no columns of its own and no limit.
const cases = fieldCases.filter(({ field }) => field !== 'columns' && field !== 'limit')
const freeFields = ['as_of', 'fee_schedules', 'max_bytes', 'summary.count_providers']

describe('compare_summaries', () => {
  it.each(cases)('refuses two summaries if $field must not differ', async ({ field, request, other }) => {
    const answer = await compare(request, other)
    expect(answer).not.toContain('isError')
    if (freeFields.includes(field)) expect(answer).not.toContain('did not ask for the same')
    else expect(answer).toContain(`their ${field} differs`)
  })
})
