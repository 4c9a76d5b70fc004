import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { connectDynamo, scanItems } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoCodeNames } from '../../../../adapters/dynamodb/vocabulary/dynamo-code-names.ts'
import { type CodeName, publisherKeyOf } from '../../../../core/vocabulary/code-names.ts'
import type { CodeNames } from '../../../../core/vocabulary/ports.ts'
import { createMemoryCodeNames } from '../../../doubles/vocabulary/memory-code-names.ts'
import { makeTables } from '../../../endpoints/make-tables.ts'

const client = connectDynamo()
const { Contents = '' } = await makeTables('names')

const stores = {
  DynamoDB: createDynamoCodeNames(client, Contents),
  memory: createMemoryCodeNames(),
}

const knee = { type: 'CPT', code: '73721', name: 'Zebra scan of a knee' }
const other = { type: 'HCPCS', code: 'G9999', name: 'Gnu w' }

/** Reads the names of one publisher at a place. */
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
      return { type: 'LOCAL', code: `L${index}`, name: `Yak yak yaks a lot yak${index}` }
    })
    const publisherKey = publisherKeyOf(randomUUID())
    await stores.DynamoDB.addNames(publisherKey, many, randomUUID())
    expect(await readAt(stores.DynamoDB, 'ya', publisherKey)).toHaveLength(many.length)
    expect(await stores.DynamoDB.readNamesOf(publisherKey)).toHaveLength(many.length)
  })

  it('merges what many loads have added into fewer items, with the same names', async () => {
    const publisherKeys = Array.from({ length: 8 }, () => publisherKeyOf(randomUUID())).sort()
    for (const publisherKey of publisherKeys) {
      await stores.DynamoDB.addNames(publisherKey, [knee, other], randomUUID())
      for (const code of ['1', '2', '3', '4', '5'])
        await stores.DynamoDB.addNames(publisherKey, [{ ...knee, code: `7372${code}` }], randomUUID())
    }
    const countItems = async () => (await Array.fromAsync(scanItems(client, { TableName: Contents }))).length
    const before = await countItems()
    await stores.DynamoDB.mergeNames(randomUUID)
    expect(await countItems()).toBeLessThan(before / 3)
    for (const publisherKey of publisherKeys) {
      const codes = (await readAt(stores.DynamoDB, 'zeb', publisherKey)).map(({ code }) => code)
      expect(codes.toSorted()).toEqual(['73721', '73722', '73723', '73724', '73725'])
      expect(new Set((await stores.DynamoDB.readNamesOf(publisherKey)).map(({ code }) => code)).size).toBe(6)
    }
    const [gnu] = await readAt(stores.DynamoDB, 'gnu', publisherKeys[0] ?? '')
    expect(gnu?.publisherKeys).toEqual(expect.arrayContaining(publisherKeys))
  })

  it('removes all names, and leaves the rest of the table', async () => {
    await client.send(new PutCommand({ TableName: Contents, Item: { owner: 'other', item: 'kept' } }))
    const publisherKey = publisherKeyOf(randomUUID())
    await stores.DynamoDB.addNames(publisherKey, [knee], randomUUID())
    await stores.DynamoDB.removeNames()
    expect(await stores.DynamoDB.readNamesOf(publisherKey)).toEqual([])
    const items = await Array.fromAsync(scanItems(client, { TableName: Contents }))
    expect(items).toEqual([{ owner: 'other', item: 'kept' }])
  })
})
