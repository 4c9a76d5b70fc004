import { randomUUID } from 'node:crypto'
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDynamoContents } from '../../../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { type Content, identifyBytes, isOutdated, type Source } from '../../../../core/catalogue/content.ts'
import { contentsKey } from '../../../../schema/tables.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()

const memory = createMemoryContents()

/** The adapter, and its double in tests of the core and the loader. */
const stores = { DynamoDB: createDynamoContents(connectDynamo(), tables.contents), memory }

/** Makes a stored content like one of an earlier version, whose items have no layout. */
const outdate: Readonly<Record<string, (contentId: string) => unknown>> = {
  DynamoDB: (contentId) =>
    connectDynamo().send(
      new UpdateCommand({
        TableName: tables.contents,
        Key: contentsKey.summary(contentId),
        UpdateExpression: 'REMOVE layout',
      }),
    ),
  memory: (contentId) => {
    for (const content of memory.contents.values())
      if (content.contentId === contentId) memory.contents.set(contentId, { ...content, isOutdated: true })
  },
}

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 9, minutes))
const newId = () => randomUUID().replaceAll('-', '').slice(0, 20)

const newSource = (facts: Partial<Source> = {}): Source => ({
  loadId: 'load-1',
  sourceId: newId(),
  identity: `https://example.com/${newId()}`,
  name: 'rates.json.gz',
  contentHash: 'hash',
  bytes: 5,
  tableBytes: 7,
  loaderVersion: '1',
  references: [{ identity: 'https://example.com/groups', contentHash: 'other' }],
  reportingEntityName: 'Blue Harbor',
  names: { issuer: 'Blue Harbor', plan: 'PPO', planId: '222222222', planIdType: 'EIN' },
  partial: false,
  prices: 2,
  skipped: 1,
  rates: 4,
  codes: 1,
  npis: 2,
  pairs: 3,
  groupRows: 6_000_000_000,
  findings: { 'unreadable-date': 1 },
  ...facts,
})

const newContent = (sources: number, facts: Partial<Content> = {}): Content => ({
  contentId: newId(),
  loadId: 'load-1',
  sourcesKey: 'key',
  sources: Array.from({ length: sources }, (_, index) => ({
    loadId: `load-${(index + 1) % 3}`,
    sourceId: `s${String(index).padStart(19, '0')}`,
    // Versions before sizes were recorded wrote some of them.
    ...(index % 4 > 0 && { bytes: 5_000_000_000 + index }),
  })),
  figures: { rates: 1, codes: 2, npis: 3, prices: 4, pairs: 5, groupRows: 6_000_000_000 },
  partial: true,
  filterId: 'filter',
  withoutDescriptions: true,
  lastUpdatedOn: '2026-10-01',
  tableBytes: 4321,
  createdAt: at(0),
  ...facts,
})

describe.each(Object.entries(stores))('contents in %s', (store, contents) => {
  it('read back equal, even with ten thousand sources', async () => {
    const content = newContent(10_001)
    await contents.putContent(content)
    const { sources, ...facts } = content
    expect(await contents.readContents([content.contentId, newId()])).toStrictEqual([
      { ...facts, loadIds: ['load-0', 'load-1', 'load-2'], sourceCount: 10_001 },
    ])
    expect(await contents.readSourceRefs(content.contentId)).toStrictEqual(sources)
    expect(await contents.readSourceRefs(newId())).toStrictEqual([])
    expect((await Array.fromAsync(contents.listContents())).map(({ contentId }) => contentId)).toContain(
      content.contentId,
    )
  })

  it('stay if they were created or retired since the time of the removal', async () => {
    const content = newContent(2)
    await contents.putContent(content)
    const { contentId } = content
    expect(await contents.removeContent(contentId, at(0))).toBe('superseded')
    expect(await contents.retireContent(contentId, at(10))).toBe('written')
    expect(await contents.removeContent(contentId, at(10))).toBe('superseded')
    expect(await contents.readContents([contentId])).toMatchObject([{ retiredAt: at(10) }])
    expect(await contents.removeContent(contentId, at(11))).toBe('written')
    expect(await contents.readContents([contentId])).toStrictEqual([])
    expect(await contents.readSourceRefs(contentId)).toStrictEqual([])
    expect(await contents.retireContent(contentId, at(12))).toBe('superseded')
    expect(await contents.removeContent(contentId, at(11))).toBe('written')
  })

  it('become outdated without a layout, and current once they are written again', async () => {
    const content = newContent(1)
    const { contentId } = content
    const readOutdated = async () => {
      const listedContents = (await Array.fromAsync(contents.listContents())).filter(
        (each) => each.contentId === contentId,
      )
      return [...(await contents.readContents([contentId])), ...listedContents].map(({ isOutdated }) => isOutdated)
    }
    await contents.putContent(content)
    expect(await readOutdated()).toEqual([undefined, undefined])
    await outdate[store]?.(contentId)
    expect(await readOutdated()).toEqual([true, true])
    await contents.putContent(content)
    expect(await readOutdated()).toEqual([undefined, undefined])
  })

  it('disappear with all their sources, so that the same content can be created again', async () => {
    const content = newContent(5_001)
    await contents.putContent(content)
    expect(await contents.removeContent(content.contentId, at(1))).toBe('written')
    const sources = content.sources.slice(0, 1)
    await contents.putContent({ ...content, sources })
    expect(await contents.readSourceRefs(content.contentId)).toStrictEqual(sources)
  })
})

describe.each(Object.entries(stores))('versions of the active contents in %s', (_, contents) => {
  it('count upwards, even for concurrent callers', async () => {
    const version = await contents.nextVersion()
    const laterVersions = await Promise.all(Array.from({ length: 5 }, () => contents.nextVersion()))
    expect(laterVersions.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5].map((step) => version + step))
  })
})

describe('a content in DynamoDB', () => {
  it('fails to read if it lacks some of its sources, because a search would miss rows', async () => {
    const content = newContent(5_001)
    await stores.DynamoDB.putContent(content)
    const Key = contentsKey.sourceRefs(content.contentId, 1)
    await connectDynamo().send(new DeleteCommand({ TableName: tables.contents, Key }))
    await expect(stores.DynamoDB.readSourceRefs(content.contentId)).rejects.toThrow(
      `content ${content.contentId} lacks some of its sources`,
    )
  })
})

describe('a source in DynamoDB', () => {
  it('becomes outdated if it was written for another layout of the warehouse', async () => {
    const source = newSource({ tableFiles: [2, 1] })
    const { sourceId } = source
    const readOutdated = async () => (await stores.DynamoDB.readSources([sourceId])).map(isOutdated)
    await stores.DynamoDB.putSources([source], at(0))
    expect(await readOutdated()).toEqual([false])
    for (const layout of [undefined, 2]) {
      await connectDynamo().send(
        new UpdateCommand({
          TableName: tables.contents,
          Key: contentsKey.source(sourceId),
          UpdateExpression: 'SET facts = :facts',
          ExpressionAttributeValues: { ':facts': JSON.stringify({ ...source, layout }) },
        }),
      )
      expect(await readOutdated()).toEqual([true])
    }
  })
})

describe.each(Object.entries(stores))('sources in %s', (_, contents) => {
  it('read back equal, by id and by file', async () => {
    const identity = `https://example.com/${'x'.repeat(3000)}${newId()}`
    const etag = `"${newId()}"`
    const [old, latest] = [newSource({ identity }), newSource({ identity, etag, lastUpdatedOn: '2026-01-01' })]
    await contents.putSources([old], at(0))
    await contents.putSources([latest], at(1))
    const sources = await contents.readSources([old.sourceId, latest.sourceId, newId()])
    expect(new Map(sources.map((source) => [source.sourceId, source]))).toStrictEqual(
      new Map([old, latest].map((source) => [source.sourceId, source])),
    )
    expect(await contents.findSources([identity, 'https://example.com/none', identity])).toStrictEqual([latest])
    expect(await contents.findSources([identifyBytes(etag)])).toStrictEqual([latest])
  })

  it('stay if they were touched since the time of the removal, else disappear from look-ups by file', async () => {
    const source = newSource()
    const { sourceId, identity } = source
    await contents.putSources([source], at(0))
    const missingId = newId()
    expect(await contents.touchSources([sourceId, missingId], at(10))).toStrictEqual([missingId])
    expect(await contents.removeSource(sourceId, at(10))).toBe('superseded')
    const listedSources = await Array.fromAsync(contents.listSources())
    expect(listedSources).toContainEqual({ loadId: 'load-1', sourceId, touchedAt: at(10) })
    expect(await contents.removeSource(sourceId, at(11))).toBe('written')
    expect(await contents.findSources([identity])).toStrictEqual([])
    expect(await contents.touchSources([sourceId], at(12))).toStrictEqual([sourceId])
  })
})

describe.each(Object.entries(stores))('filters in %s', (_, contents) => {
  it('read back equal at any size', async () => {
    const filter = {
      id: newId(),
      codes: ['99213'],
      npis: Array.from({ length: 200_000 }, (_, index) => 1_000_000_000 + ((index * 7_919) % 1_000_000_000)),
    }
    await contents.putFilter(filter)
    expect(await contents.readFilter(filter.id)).toStrictEqual(filter)
    expect(await contents.readFilter(newId())).toBeUndefined()
  })
})

describe.each(Object.entries(stores))('the months of NPPES in %s', (_, contents) => {
  it('accept a replacement only of their latest version', async () => {
    const month = { nppesMonthId: 'r1', month: '2026-11', rows: 9, bytes: 99, rowGroupRows: 2048, loadedAt: at(0) }
    const [first, second] = [newId(), newId()]
    expect(await contents.readNppesMonths()).toBeUndefined()
    const months = { version: first, active: { ...month, directory: { bytes: 77 } }, replaced: [] }
    expect(await contents.replaceNppesMonths(months, undefined)).toBe('written')
    expect(await contents.replaceNppesMonths(months, undefined)).toBe('superseded')
    expect(await contents.readNppesMonths()).toStrictEqual(months)
    const none = { version: second, replaced: [{ ...month, replacedAt: at(1) }] }
    expect(await contents.replaceNppesMonths(none, second)).toBe('superseded')
    expect(await contents.replaceNppesMonths(none, first)).toBe('written')
    expect(await contents.readNppesMonths()).toStrictEqual(none)
  })
})
