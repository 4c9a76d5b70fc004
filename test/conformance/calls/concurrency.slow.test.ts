import { describe, expect, inject, it } from 'vitest'
import { completeSearch, otherKey, ownKey } from '../client.ts'
import { choice, findSampleRows, gold, silver } from '../samples.ts'
import { describeRows, readResult } from '../shards.ts'

const codes = ['99202', '99203', '99204', '99205', '99211', '99212', '99213', '99214', '99215', '73721']
const plans = [gold, silver, choice]

const { searchesAtOnce } = inject('service')

describe(`${searchesAtOnce} searches at once`, () => {
  it('complete with their rows if two organizations send them', { timeout: 300_000 }, async () => {
    const requests = Array.from({ length: searchesAtOnce }, (_, index) => ({
      code: codes[index % codes.length] ?? '',
      plan: plans[index % plans.length] ?? gold,
      key: index % 2 === 0 ? ownKey : otherKey,
    }))
    const results = await Promise.all(
      requests.map(async ({ code, plan, key }) => {
        const search = await completeSearch({ billing_codes: [code], fee_schedules: [plan] }, key)
        return { id: search.job_id, rows: await readResult(search) }
      }),
    )
    expect(new Set(results.map(({ id }) => id)).size).toBe(searchesAtOnce)
    const expected = requests.map(({ code, plan }) => describeRows(findSampleRows({ codes: [code], plans: [plan] })))
    expect(results.map(({ rows }) => rows)).toEqual(expected)
  })
})
