import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createS3FileLists } from '../../../adapters/s3/s3-file-lists.ts'
import { createS3Objects } from '../../../adapters/s3/s3-objects.ts'
import { fileListKey, readFileList } from '../../../schema/columns/search-tables.ts'
import { groupTable, priceTable } from '../../../schema/columns/warehouse-tables.ts'
import { createMemoryFileLists } from '../../doubles/memory-files.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { resultsBucket } = connectEndpoints()
const objects = createS3Objects()
const memory = createMemoryFileLists()

/** The adapter, and its double in tests of the core, each with a way to read a list. */
const stores = {
  S3: {
    lists: createS3FileLists(`s3://${resultsBucket}/results/lists/`),
    read: async (key: string) => {
      const text = await objects.readText(resultsBucket, `results/lists/${key}`)
      return text === undefined ? undefined : readFileList(text)
    },
  },
  memory: { lists: memory, read: async (key: string) => memory.lists.get(key) },
}

describe.each(Object.entries(stores))('lists of files in %s', (_, { lists, read }) => {
  it('keep the order of addresses, apart for each table and each search', async () => {
    const [searchId, otherId] = [randomUUID(), randomUUID()]
    const addresses = ['s3://rates/a/bucket=1/b.l.00000.parquet', 's3://rates/a/bucket=1/a.l.00000.parquet']
    await lists.write({ table: priceTable, searchId, addresses })
    await lists.write({ table: groupTable, searchId, addresses: [] })
    expect(await read(fileListKey(priceTable, searchId))).toEqual(addresses)
    expect(await read(fileListKey(groupTable, searchId))).toEqual([])
    expect(await read(fileListKey(priceTable, otherId))).toBeUndefined()
  })

  it('replace what was written before', async () => {
    const searchId = randomUUID()
    for (const addresses of [['s3://rates/one', 's3://rates/two'], ['s3://rates/three']])
      await lists.write({ table: priceTable, searchId, addresses })
    expect(await read(fileListKey(priceTable, searchId))).toEqual(['s3://rates/three'])
  })
})
