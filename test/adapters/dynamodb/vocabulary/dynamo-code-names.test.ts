import { randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDynamoContents } from '../../../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { connectDynamo, scanItems } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoCodeNames } from '../../../../adapters/dynamodb/vocabulary/dynamo-code-names.ts'
import { openCodeNameWriter } from '../../../../core/vocabulary/code-name-writer.ts'
import { type CodeName, payerKeyOf, textOfName } from '../../../../core/vocabulary/code-names.ts'
import type { CodeNamesAdmin } from '../../../../core/vocabulary/ports.ts'
import { createMemoryCodeNames } from '../../../doubles/vocabulary/memory-code-names.ts'
import { makeTables } from '../../../endpoints/make-tables.ts'

const client = connectDynamo()
const { Contents = '' } = await makeTables('names')
const dynamo = createDynamoCodeNames(client, Contents)

const stores: Readonly<Record<string, CodeNamesAdmin>> = { DynamoDB: dynamo, memory: createMemoryCodeNames() }

const knee = { type: 'CPT', code: '73721', name: 'Zebra scan of a knee' }
const other = { type: 'HCPCS', code: 'G9999', name: 'Gnu w' }
const createdAt = new Date('2026-11-20T09:30:00Z')

const newNames = (count: number): readonly CodeName[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'LOCAL', code: `L${index}`, name: `Yak ${index} yaks a lot` }))

const readAll = (names: CodeNamesAdmin, payerKey?: string) => Array.fromAsync(names.readLists(payerKey))

const countItems = async () => (await Array.fromAsync(scanItems(client, { TableName: Contents }))).length

describe.each(Object.entries(stores))('the store of names of codes in %s', (_, names) => {
  it('reads the lists of a payer, and those of all payers', async () => {
    const [payerKey, otherKey] = [randomUUID(), randomUUID()]
    const list = { payerKey, id: 'one', sourceIds: ['s1', 's2'], names: [knee, other], createdAt }
    await names.addList(list)
    await names.addList({ ...list, id: 'two', sourceIds: ['s3'], names: [] })
    await names.addList({ ...list, payerKey: otherKey })
    expect(await readAll(names, payerKey)).toEqual([list, { ...list, id: 'two', sourceIds: ['s3'], names: [] }])
    expect((await readAll(names)).filter((each) => each.payerKey === otherKey)).toEqual([
      { ...list, payerKey: otherKey },
    ])
  })

  it('removes a list and no other one', async () => {
    const payerKey = randomUUID()
    for (const id of ['one', 'two']) await names.addList({ payerKey, id, sourceIds: ['s1'], names: [knee], createdAt })
    await names.removeList(payerKey, 'one')
    expect((await readAll(names, payerKey)).map(({ id }) => id)).toEqual(['two'])
  })

  it('reads the names of a source, if any are stored', async () => {
    const sourceId = randomUUID()
    expect(await names.readSourceNames(sourceId)).toBeUndefined()
    await names.writeSourceNames(sourceId, [knee, other])
    expect(await names.readSourceNames(sourceId)).toEqual([knee, other])
  })

  it('says whether lists have changed', async () => {
    const version = randomUUID()
    await names.writeVersion(version)
    expect(await names.readVersion()).toBe(version)
  })

  it('removes all names', async () => {
    await names.writeSourceNames('source', [knee])
    await names.addList({ payerKey: 'payer', id: 'one', sourceIds: ['source'], names: [knee], createdAt })
    await names.removeAll()
    expect(await readAll(names)).toEqual([])
    expect(await names.readSourceNames('source')).toBeUndefined()
  })
})

describe('the store of names of codes in DynamoDB', () => {
  it('splits names into as many items as they need', async () => {
    const [payerKey, noise] = [randomUUID(), randomBytes(1_500_000).toString('base64')]
    const many = Array.from({ length: 10_000 }, (_, index) => {
      return { ...knee, code: `L${index}`, name: noise.slice(190 * index, 190 * (index + 1)) }
    })
    await dynamo.addList({ payerKey, id: 'one', sourceIds: ['s1'], names: many, createdAt })
    const pieces = await readAll(dynamo, payerKey)
    expect(pieces.length).toBeGreaterThan(1)
    expect(new Set(pieces.flatMap(({ names }) => names.map(textOfName)))).toEqual(new Set(many.map(textOfName)))
  })

  it('removes the names of a source with the source', async () => {
    const sourceId = randomUUID()
    await dynamo.writeSourceNames(sourceId, [knee])
    await createDynamoContents(client, Contents).removeSource(sourceId, createdAt)
    expect(await dynamo.readSourceNames(sourceId)).toBeUndefined()
  })

  it('leaves the rest of the table when it removes all names', async () => {
    await client.send(new PutCommand({ TableName: Contents, Item: { owner: 'other', item: 'retained' } }))
    await dynamo.writeSourceNames('source', [knee])
    await dynamo.removeAll()
    const items = await Array.fromAsync(scanItems(client, { TableName: Contents }))
    expect(items.filter(({ owner }) => owner !== 'names')).toEqual([{ owner: 'other', item: 'retained' }])
  })

  it.each([
    ['20,000 ordinary names', () => newNames(20_000)],
    ['61,000 long names of common words', () => newLongNames()],
  ])('stores %s of a publisher in at most 50 items', async (_, makeNames) => {
    const before = await countItems()
    const writer = openCodeNameWriter(dynamo, randomUUID, () => createdAt)
    const sourceId = randomUUID()
    await writer.add(sourceId, makeNames())
    await writer.publish([{ payer: randomUUID(), sources: [{ sourceId, reportingEntityName: 'A' }] }])
    expect((await countItems()) - before).toBeLessThanOrEqual(50)
  })

  it('reads the names that version 0.3 stored, and converts them at the next clean', async () => {
    const [publisher, payer, sourceId] = [randomUUID(), randomUUID(), randomUUID()]
    const publisherKey = payerKeyOf(publisher)
    const put = (owner: string, item: string, line: string) =>
      client.send(new PutCommand({ TableName: Contents, Item: { owner, item, names: gzipSync(line) } }))
    await put('names-of', `${publisherKey}#id#0`, `${textOfName(knee)}\t`)
    await put('names-at#ze', `b#id#0`, `${textOfName(knee)}\t${publisherKey}`)
    expect((await readAll(dynamo, publisherKey)).flatMap(({ names }) => names)).toEqual([knee])
    const writer = openCodeNameWriter(dynamo, randomUUID, () => createdAt)
    const plans = [{ payer, sources: [{ sourceId, reportingEntityName: publisher }] }]
    for (let times = 0; times < 2; times++) await writer.clean(plans, createdAt)
    expect(await readAll(dynamo, publisherKey)).toEqual([])
    expect((await readAll(dynamo, payerKeyOf(payer))).flatMap(({ names }) => names)).toEqual([knee])
    const items = await Array.fromAsync(scanItems(client, { TableName: Contents }))
    expect(items.filter(({ owner }) => String(owner).startsWith('names-at#'))).toEqual([])
  })
})

function newLongNames(): readonly CodeName[] {
  const words = Array.from({ length: 48 }, (_, index) => `wo${index}`).join(' ')
  return Array.from({ length: 61_000 }, (_, index) => ({ type: 'LOCAL', code: `C${index}`, name: `${words} ${index}` }))
}
