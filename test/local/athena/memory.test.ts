import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAthena, type TestAthena, unloadOf } from './test-athena.ts'
import { loadSource } from './warehouse-fixture.ts'

let athena: TestAthena

beforeAll(async () => {
  athena = await openAthena({ memoryBytes: 20_000_000 })
  await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 2500 })
})

afterAll(() => athena.close())

describe('the memory of all queries together', () => {
  it('fails a query that needs more as Athena does, and names the setting', async () => {
    const tooLarge = 'SELECT a.npi, array_agg(a.price_id || b.price_id) AS ids FROM rates a, rates b GROUP BY a.npi'
    const { Status } = await athena.run(unloadOf(tooLarge))
    expect(Status).toMatchObject({ State: 'FAILED', AthenaError: { ErrorCategory: 2, ErrorType: 1, Retryable: false } })
    expect(Status?.StateChangeReason).toMatch(
      /^EXCEEDED_LOCAL_MEMORY_LIMIT: all queries have 20 MB, .*--memory.*[^\n]*$/,
    )
  })

  it('serves a query that fits after one that did not', async () => {
    expect(await athena.unload(unloadOf('SELECT npi FROM rates', 's3://results/fits/'))).toHaveLength(3)
  })
})
