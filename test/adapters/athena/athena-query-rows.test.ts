import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import { createAthenaQueryRows } from '../../../adapters/athena/athena-query-rows.ts'
import { readRelation } from '../../../core/own-relation/read-relation.ts'
import { openAthena } from '../../local/athena/test-athena.ts'
import { writeParquet } from '../../local/athena/warehouse-fixture.ts'

/** Opens a local Athena with one relation of an operator. */
async function openRelation(name: string, select: string) {
  const { client, warehouseFolder, close } = await openAthena()
  await writeParquet(join(warehouseFolder, name), select)
  const deps = {
    queries: createAthenaQueries({ workGroup: 'own', database: 'own' }, client),
    rows: createAthenaQueryRows(client),
    // A poll of the local Athena takes a moment itself.
    sleep: async () => undefined,
    newToken: randomUUID,
    now: () => new Date(),
  }
  return { read: (statement: string) => readRelation(deps, statement), [Symbol.asyncDispose]: close }
}

describe('the rows of a query', () => {
  // A page has 1,000 rows including the header.
  it.each([0, 1, 998, 999, 1000, 1001, 1999, 2000, 3500])('arrive exactly once each: %d', async (count) => {
    await using relation = await openRelation('plans', `SELECT range AS number FROM range(${count})`)
    const { rows } = await relation.read('SELECT number FROM plans ORDER BY number')
    expect(rows).toEqual(Array.from({ length: count }, (_, index) => [String(index)]))
  })

  it('come with column names in lower case and types in Trino’s spelling', async () => {
    const select = `SELECT 'Gold' AS "Plan", 7::BIGINT AS npi, 1.5::DECIMAL(18,4) AS negotiated_rate,
      DATE '2026-10-01' AS last_updated_on, ['11'] AS service_code, NULL::VARCHAR AS plan_id`
    await using relation = await openRelation('things', select)
    const { columns, rows } = await relation.read('SELECT * FROM things')
    expect(columns).toEqual([
      { name: 'plan', type: 'varchar' },
      { name: 'npi', type: 'bigint' },
      { name: 'negotiated_rate', type: 'decimal(18,4)' },
      { name: 'last_updated_on', type: 'date' },
      { name: 'service_code', type: 'array' },
      { name: 'plan_id', type: 'varchar' },
    ])
    expect(rows).toEqual([['Gold', '7', '1.5000', '2026-10-01', '[11]', undefined]])
  })

  it('cannot be read if the relation does not exist', async () => {
    await using relation = await openRelation('plans', 'SELECT 1 AS number')
    await expect(relation.read('SELECT * FROM fee_schedules')).rejects.toMatchObject({
      name: 'RelationUnread',
      message: expect.stringContaining('TABLE_NOT_FOUND'),
    })
  })
})
