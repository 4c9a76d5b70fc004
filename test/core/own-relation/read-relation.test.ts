import { describe, expect, it } from 'vitest'
import type { ResultTable } from '../../../core/own-relation/ports.ts'
import { RelationUnread, readRelation } from '../../../core/own-relation/read-relation.ts'
import type { QueryState } from '../../../core/search/ports.ts'
import { createClock } from '../../builders/sample-search.ts'
import { createMemoryQueries } from '../../doubles/memory-ports.ts'

const statement = 'SELECT * FROM fee_schedules'
const table: ResultTable = { columns: [{ name: 'payer', type: 'varchar' }], rows: [['Acme Health'], [undefined]] }

function openRelation(state?: QueryState) {
  const clock = createClock()
  const queries = createMemoryQueries()
  if (state !== undefined) queries.states.set('query-1', state)
  const asked: string[] = []
  const readAll = async (queryId: string) => {
    asked.push(queryId)
    return table
  }
  const deps = { queries, rows: { readAll }, sleep: clock.sleep, newToken: () => 'token', now: clock.now }
  return { clock, queries, asked, deps, read: () => readRelation(deps, statement) }
}

describe('a relation', () => {
  it('needs one query, without waiting if it has ended', async () => {
    const { read, queries, asked, clock } = openRelation({ state: 'succeeded', manifest: undefined })
    expect(await read()).toBe(table)
    expect([...queries.statements]).toEqual([['query-1', statement]])
    expect([asked, clock.slept]).toEqual([['query-1'], []])
  })

  it('waits between polls at increasing intervals', async () => {
    const { deps, queries, clock } = openRelation()
    const sleep = async (milliseconds: number) => {
      await clock.sleep(milliseconds)
      if (clock.slept.length === 12) queries.states.set('query-1', { state: 'succeeded', manifest: undefined })
    }
    expect(await readRelation({ ...deps, sleep }, statement)).toBe(table)
    expect(clock.slept.slice(0, 3)).toEqual([250, 375, 562.5])
    expect(Math.max(...clock.slept)).toBe(5000)
  })

  it("cannot be read if its query fails, with Athena's reason", async () => {
    const reason = 'TABLE_NOT_FOUND: fee_schedules'
    const { read, asked, clock } = openRelation({ state: 'failed', fault: 'permanent', reason })
    await expect(read()).rejects.toThrow(new RelationUnread(reason))
    expect([asked, clock.slept]).toEqual([[], []])
  })

  it('cannot be read if Athena throttles', async () => {
    const { read, queries } = openRelation()
    queries.full = true
    await expect(read()).rejects.toThrow(new RelationUnread('Athena did not start the query: throttled'))
  })

  it('times out after four minutes, before the function does, and its query is stopped', async () => {
    const { read, queries, asked, clock } = openRelation()
    const began = clock.now().getTime()
    await expect(read()).rejects.toThrow(new RelationUnread('the query took longer than 240 seconds'))
    expect(clock.now().getTime() - began).toBeLessThanOrEqual(240_000)
    expect([queries.stopped, asked]).toEqual([['query-1'], []])
  })
})
