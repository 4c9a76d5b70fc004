import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoCodeNames } from '../../../../adapters/dynamodb/vocabulary/dynamo-code-names.ts'
import { type CodeName, publisherKeyOf } from '../../../../core/vocabulary/code-names.ts'
import type { CodeNames } from '../../../../core/vocabulary/ports.ts'
import { createMemoryCodeNames } from '../../../doubles/vocabulary/memory-code-names.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const stores = {
  DynamoDB: createDynamoCodeNames(connectDynamo(), connectEndpoints().tables.contents),
  memory: createMemoryCodeNames(),
}

const knee = { type: 'CPT', code: '73721', name: 'Zebra scan of a knee' }
const other = { type: 'HCPCS', code: 'G9999', name: 'Gnu w' }

/** Reads the names of one publisher at a place; other tests share the table. */
const readAt = async (names: CodeNames, start: string, publisherKey: string) =>
  (await Array.fromAsync(names.readNames(start)))
    .flat()
    .filter(({ publisherKeys }) => publisherKeys.includes(publisherKey))

describe.each(Object.entries(stores))('the store of names of codes in %s', (_, names) => {
  it('reads names at the first two or three characters of the code and of each word', async () => {
    const publisherKey = publisherKeyOf(randomUUID())
    await names.addNames(publisherKey, [knee, other], randomUUID())
    const publisherKeys = [publisherKey]
    for (const start of ['73', '737', 'ze', 'zeb', 'sc', 'of', 'ofa', 'kne'])
      expect(await readAt(names, start, publisherKey)).toEqual([{ ...knee, publisherKeys }])
    for (const start of ['g9', 'g99', 'gn', 'gnu'])
      expect(await readAt(names, start, publisherKey)).toEqual([{ ...other, publisherKeys }])
    expect(await readAt(names, 'zex', publisherKey)).toEqual([])
  })

  it('reads the names of a publisher', async () => {
    const publisherKey = publisherKeyOf(randomUUID())
    await names.addNames(publisherKey, [knee], 'id-1')
    await names.addNames(publisherKey, [other], 'id-2')
    expect(await names.readNamesOf(publisherKey)).toMatchObject([knee, other])
    expect(await names.readNamesOf(publisherKey.slice(0, -1))).toEqual([])
  })
})

describe('the store of names of codes in DynamoDB', () => {
  it('splits names into as many items as they need', async () => {
    const many = Array.from({ length: 12_000 }, (_, index): CodeName => {
      return { type: 'LOCAL', code: `L${index}`, name: `Yak ${randomUUID()}` }
    })
    const publisherKey = publisherKeyOf(randomUUID())
    await stores.DynamoDB.addNames(publisherKey, many, randomUUID())
    expect(await readAt(stores.DynamoDB, 'ya', publisherKey)).toHaveLength(many.length)
    expect(await stores.DynamoDB.readNamesOf(publisherKey)).toHaveLength(many.length)
  })
})
