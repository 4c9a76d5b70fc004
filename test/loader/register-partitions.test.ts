import { describe, expect, it } from 'vitest'
import type { Queries, QueryStart, QueryState } from '../../core/ports.ts'
import { warehouseTables } from '../../core/warehouse.ts'
import { createPartitions } from '../../loader/register-partitions.ts'

const failed = (fault: 'transient' | 'permanent'): QueryState => ({ state: 'failed', fault, reason: `${fault} fault` })

/** Queries that are started and end as a test says, one answer a call and the last for ever; nobody waits for real. */
function prepare(starts: readonly QueryStart['outcome'][] = ['started'], ends: readonly QueryState[] = []) {
  const statements: string[] = []
  const tokens: string[] = []
  let looks = 0
  const queries: Queries = {
    async start({ statement, token }) {
      const outcome = starts[Math.min(statements.length, starts.length - 1)] ?? 'started'
      statements.push(statement)
      tokens.push(token)
      return outcome === 'started' ? { outcome, queryId: statement } : { outcome }
    },
    look: async () => ends[Math.min(looks++, ends.length - 1)] ?? { state: 'succeeded', manifest: undefined },
    stop: async () => {},
  }
  let ids = 0
  const partitions = createPartitions({ queries, newToken: () => `token-${ids++}`, wait: async () => {} })
  return { partitions, statements, tokens }
}

describe('registering a source', () => {
  it('adds its partition to every table, and again without harm', async () => {
    const { partitions, statements } = prepare()
    await partitions.add('a1b2-c3')
    expect(statements).toEqual(
      warehouseTables.map(({ name }) => `ALTER TABLE ${name} ADD IF NOT EXISTS PARTITION (source_id = 'a1b2-c3')`),
    )
  })

  it('drops it from every table, where it is there', async () => {
    const { partitions, statements } = prepare()
    await partitions.drop('s1')
    expect(statements).toEqual(
      warehouseTables.map(({ name }) => `ALTER TABLE ${name} DROP IF EXISTS PARTITION (source_id = 's1')`),
    )
  })

  it('waits for the statements to end', async () => {
    const running: QueryState = { state: 'running' }
    const { partitions, statements } = prepare(['started'], [running, running, running, running, failed('permanent')])
    await expect(partitions.add('s1')).rejects.toThrow('permanent fault')
    expect(statements).toHaveLength(3)
  })

  it('tries again, with a new token, when Athena has no room or fails for a reason of its own', async () => {
    const succeeded: QueryState = { state: 'succeeded', manifest: undefined }
    const { partitions, statements, tokens } = prepare(
      ['throttled', 'throttled', 'throttled', 'started'],
      [failed('transient'), succeeded],
    )
    await partitions.add('s1')
    expect(statements).toHaveLength(7)
    expect(new Set(tokens).size).toBe(7)
  })

  it.each([
    { name: 'never has room', starts: ['throttled'] as const, ends: [], reason: 'had no room' },
    { name: 'keeps failing', starts: ['started'] as const, ends: [failed('transient')], reason: 'transient fault' },
  ])('gives up where Athena $name', async ({ starts, ends, reason }) => {
    const { partitions } = prepare(starts, ends)
    await expect(partitions.add('s1')).rejects.toMatchObject({
      name: 'PartitionsNotChanged',
      message: expect.stringContaining(reason),
    })
  })

  it.each(["s1') --", 's1/s2', '', 'ä', 's 1'])('refuses what is no id before it says it to Athena: %j', async (id) => {
    const { partitions, statements } = prepare()
    await expect(partitions.drop(id)).rejects.toMatchObject({ name: 'PartitionsNotChanged' })
    expect(statements).toEqual([])
  })
})
