import { createHash } from 'node:crypto'
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { identifyBytes } from '../../../core/catalogue/content.ts'
import type { ContentsAdmin } from '../../../core/catalogue/ports.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { type Item, queryBelow, readItems, scanFor } from '../dynamo-client.ts'
import { tableWrites } from '../table-writes.ts'
import {
  countRefParts,
  parseFilter,
  parseReferences,
  parseRefs,
  parseSource,
  parseSummary,
  parseTouchedSource,
  writeContent,
  writeFilter,
  writeReferences,
  writeSource,
} from './content-items.ts'
import { createDynamoOpenLoads } from './dynamo-open-loads.ts'

/** Maximum number of concurrent writes. */
const writesAtOnce = 25

const countSchema = v.object({ version_number: v.number() })

const latestSchema = v.object({ source_id: v.string() })

/** Stores contents, sources and filters in DynamoDB (`contentsTable` in schema/tables.ts). */
export function createDynamoContents(client: DynamoDBDocumentClient, table: string): ContentsAdmin {
  const { put, putIf, remove, setIf, deleteIf } = tableWrites(client, table)
  const readAll = (keys: readonly Item[]) => readItems(client, table, keys)
  const writeAll = <Member>(members: readonly Member[], write: (member: Member) => Promise<unknown>) =>
    workAtOnce(members, writesAtOnce, write)
  const readSources = async (sourceIds: readonly string[]) =>
    (await readAll(sourceIds.map(contentsKey.source))).map(parseSource)

  const readContent = (contentId: string) =>
    Array.fromAsync(queryBelow(client, table, { ...contentsKey.summary(contentId), item: '' }))

  return {
    ...createDynamoOpenLoads(client, table),

    readContents: async (contentIds) => (await readAll(contentIds.map(contentsKey.summary))).map(parseSummary),

    readSourceRefs: async (contentId) => {
      const items = await readContent(contentId)
      const summary = items.find(({ item }) => item === contentsKey.summary(contentId).item)
      if (summary === undefined) return []
      const parts = items.filter((item) => item !== summary)
      // The summary is written last, removed first, and comes after the parts.
      if (parts.length !== countRefParts(summary)) throw new TypeError(`content ${contentId} lacks some of its sources`)
      const refs = parts.flatMap(parseRefs)
      return refs.sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
    },

    putContent: async (content) => {
      const { parts, summary } = writeContent(content)
      await writeAll(parts, put)
      await put(summary)
    },

    retireContent: (contentId, at) =>
      setIf(contentsKey.summary(contentId), { retiredAt: at }, { condition: 'attribute_exists(content_id)' }),

    removeContent: async (contentId, before) => {
      const outcome = await deleteIf(contentsKey.summary(contentId), {
        condition:
          'attribute_not_exists(content_id) OR retired_at < :before OR (attribute_not_exists(retired_at) AND created_at < :before)',
        values: { ':before': before.toISOString() },
      })
      if (outcome === 'written') {
        await writeAll(await readContent(contentId), ({ owner, item }) => remove({ owner, item }))
      }
      return outcome
    },

    async *listContents() {
      for await (const item of scanFor(client, table, 'summary')) yield parseSummary(item)
    },

    putSources: async (sources, at) => {
      await writeAll(sources, (source) => put(writeSource(source, at)))
      // Written last, so that a source that is found by its file exists.
      await writeAll(sources, async ({ identity, etag, sourceId }) => {
        await put({ ...latestKey(identity), source_id: sourceId })
        if (etag !== undefined) await put({ ...latestKey(identifyBytes(etag)), source_id: sourceId })
      })
    },

    readSources,

    findSources: async (identities) => {
      const latest = await readAll([...new Set(identities)].map(latestKey))
      return readSources(latest.map((item) => v.parse(latestSchema, item).source_id))
    },

    touchSources: async (sourceIds, at) => {
      const missing: string[] = []
      await writeAll(sourceIds, async (sourceId) => {
        const isThere = { condition: 'attribute_exists(source_id)' }
        const touched = await setIf(contentsKey.source(sourceId), { touchedAt: at }, isThere)
        if (touched === 'superseded') missing.push(sourceId)
      })
      return missing
    },

    removeSource: (sourceId, before) =>
      deleteIf(contentsKey.source(sourceId), {
        condition: 'attribute_not_exists(source_id) OR touched_at < :before',
        values: { ':before': before.toISOString() },
      }),

    async *listSources() {
      for await (const item of scanFor(client, table, 'source')) yield parseTouchedSource(item)
    },

    putFilter: async (filter) => {
      for (const item of writeFilter(filter)) await put(item)
    },

    nextVersion: async () => {
      const change = { UpdateExpression: 'ADD version_number :one', ExpressionAttributeValues: { ':one': 1 } }
      const Key = contentsKey.currentVersion
      const counted = await client.send(
        new UpdateCommand({ TableName: table, Key, ReturnValues: 'UPDATED_NEW', ...change }),
      )
      return v.parse(countSchema, counted.Attributes).version_number
    },

    readFilter: async (filterId) => {
      const parts = { ...contentsKey.filter(filterId, 0), item: '' }
      return parseFilter(await Array.fromAsync(queryBelow(client, table, parts)))
    },

    readReferences: async () => (await readAll([contentsKey.references])).map(parseReferences)[0],

    replaceReferences: (references, replacedVersion) =>
      putIf(
        writeReferences(references),
        replacedVersion === undefined
          ? { condition: 'attribute_not_exists(version)' }
          : { condition: 'version = :version', values: { ':version': replacedVersion } },
      ),
  }
}

/** Hashed, because an address may be longer than a key. */
const latestKey = (identity: string) => contentsKey.latestSource(createHash('sha256').update(identity).digest('hex'))
