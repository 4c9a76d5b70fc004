import { afterAll, beforeAll } from 'vitest'
import { isExcess } from '../../../../core/search/partitions/row-limit.ts'
import type { SearchRequest } from '../../../../core/search/search-request.ts'
import { unloadStatement } from '../../../../core/search/statement.ts'
import { scopeOfVaried } from '../../../summaries/any-summary.ts'
import { writeVariedWarehouse } from '../../../summaries/varied-warehouse.ts'
import { openAthena, present, type TestAthena } from '../test-athena.ts'

/** A file of a result. */
export interface ResultFile {
  readonly path: string
  /** True if its row is beyond the limit of the search. */
  readonly isExcess: boolean
}

/** Opens a local Athena over the varied warehouse before the tests of a file, and closes it after them. */
export function useVariedAthena() {
  let athena: TestAthena | undefined
  let results = 0
  beforeAll(async () => {
    athena = await openAthena()
    await writeVariedWarehouse(athena.warehouseFolder, 300)
  })
  afterAll(() => athena?.close())
  return {
    warehouseFolder: () => present(athena).warehouseFolder,
    /** Runs a search that must succeed. */
    async search(request: SearchRequest, spread?: number): Promise<readonly ResultFile[]> {
      const { unload, objects } = present(athena)
      const prefix = `${results++}/`
      const bucket = 's3://results/'
      const addresses = await unload(unloadStatement(request, scopeOfVaried(request), `${bucket}${prefix}`, spread))
      return addresses.map((address) => ({
        path: objects.pathOf(address),
        isExcess: isExcess(address.slice(bucket.length), prefix),
      }))
    },
  }
}
