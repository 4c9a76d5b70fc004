import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { classifyFailure } from '../../../../adapters/athena/athena-failures.ts'
import { listFiles } from '../../../../core/search/file-lists.ts'
import { selectStatement, unloadStatement } from '../../../../core/search/statement.ts'
import { localRatesLocation } from '../../../../schema/columns/rates-views.ts'
import { openFileLists } from '../object-folder.ts'
import { openAthena, type TestAthena } from '../test-athena.ts'
import { fixtureLoad, loadSource, readColumn } from '../warehouse-fixture.ts'

const request = { npis: [1_000_000_000], feeSchedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }

let athena: TestAthena

beforeEach(async () => {
  athena = await openAthena()
  for (const sourceId of ['s1', 's2']) await loadSource(athena.warehouseFolder, { sourceId, prices: 2 })
})

afterEach(() => athena.close())

const foldersOf = (...sourceIds: readonly string[]) => {
  const sources = sourceIds.map((sourceId) => ({ loadId: fixtureLoad, sourceId }))
  return { contents: ['s1'], files: { location: localRatesLocation, sources } }
}

const list = (searchId: string, ...sourceIds: readonly string[]) =>
  listFiles(openFileLists(athena.objects), searchId, foldersOf(...sourceIds))

/** The ids of prices in the result of a search. */
async function readPrices(scope: Parameters<typeof unloadStatement>[1], result: string) {
  const files = await athena.unload(unloadStatement(request, scope, `s3://results/${result}/`))
  return readColumn(files.map(athena.objects.pathOf), 'price_id')
}

describe('the files of a search', () => {
  it('give the same rows by a list and by folders', async () => {
    const prices = await readPrices(await list('a', 's1'), 'listed')
    expect(prices).toEqual(['p0', 'p1'])
    expect(await readPrices(foldersOf('s1'), 'folders')).toEqual(prices)
  })

  it('count twice if a list names them twice, as in Trino', async () => {
    expect(await readPrices(await list('a', 's1', 's1'), 'twice')).toHaveLength(8)
  })

  it('cannot be found without a list, so that nothing is read', async () => {
    const { Status, Statistics } = await athena.run(
      selectStatement(request, { contents: ['s1'], files: { searchId: 'unlisted' } }),
    )
    expect([Status?.State, Statistics?.DataScannedInBytes]).toEqual(['SUCCEEDED', 0])
  })

  it('must exist', async () => {
    const { Status } = await athena.run(selectStatement(request, await list('a', 's1', 'absent')))
    expect(Status?.StateChangeReason).toMatch(/^HIVE_FILE_NOT_FOUND: .*file-lists\/.*non-existent path: local:.*absent/)
    expect(classifyFailure(Status?.StateChangeReason ?? '', undefined)).toBe('file-missing')
  })

  it('belong to one search, which a query must name', async () => {
    await list('a', 's1')
    for (const condition of ['', " WHERE search_id IN ('a', 'b')", " WHERE search_id = 'a' OR npi = 1"]) {
      const { Status } = await athena.run(`SELECT npi FROM search_provider_groups${condition}`)
      expect(Status?.StateChangeReason).toContain('CONSTRAINT_VIOLATION')
    }
  })
})
