import { createHash } from 'node:crypto'
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { identifyBytes } from '../../../core/catalogue/content.ts'
import type { ContentsAdmin } from '../../../core/catalogue/ports.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow, readItems, scanFor } from '../dynamo-client.ts'
import type { Item } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'
import {
  countRefParts,
  parseFilter,
  parseNppesMonths,
  parseRefs,
  parseSource,
  parseSummary,
  parseTouchedSource,
  writeContent,
  writeFilter,
  writeNppesMonths,
  writeSource,
} from './content-items.ts'

/** Maximum number of concurrent writes. */
const writesAtOnce = 25

const countSchema = v.object({ version_number: v.number() })

const latestSchema = v.object({ source_id: v.string() })

/** Stores contents, sources and filters in DynamoDB (`contentsTable` in schema/tables.ts). */
export function createDynamoContents(client: DynamoDBDocumentClient, table: string): ContentsAdmin {
  const { put, putIf } = tableWrites(client, table)
  const readAll = (keys: readonly Item[]) => readItems(client, table, keys)
  return {
    ...createContentItems(client, table),

    ...createSourceItems(client, table),

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

    readNppesMonths: async () => (await readAll([contentsKey.nppesMonths])).map(parseNppesMonths)[0],

    replaceNppesMonths: (months, replacedVersion) =>
      putIf(
        writeNppesMonths(months),
        replacedVersion === undefined ? 'attribute_not_exists(version)' : 'version = :version',
        { version: replacedVersion },
      ),
  }
}

function createContentItems(
  client: DynamoDBDocumentClient,
  table: string,
): Pick<
  ContentsAdmin,
  'readContents' | 'readSourceRefs' | 'putContent' | 'retireContent' | 'removeContent' | 'listContents'
> {
  const { put, putAll, setIf, deleteIf, removeBelow } = tableWrites(client, table)
  const readAll = (keys: readonly Item[]) => readItems(client, table, keys)
  return {
    readContents: async (contentIds) => (await readAll(contentIds.map(contentsKey.summary))).map(parseSummary),

    readSourceRefs: async (contentId) => {
      const items = await Array.fromAsync(queryBelow(client, table, allOf(contentId)))
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
      await putAll(parts)
      await put(summary)
    },

    retireContent: (contentId, at) =>
      setIf(contentsKey.summary(contentId), { fields: { retiredAt: at }, condition: 'attribute_exists(content_id)' }),

    removeContent: async (contentId, before) => {
      const isOld =
        'attribute_not_exists(content_id) OR retired_at < :before OR (attribute_not_exists(retired_at) AND created_at < :before)'
      const outcome = await deleteIf(contentsKey.summary(contentId), isOld, { before })
      if (outcome === 'written') await removeBelow(allOf(contentId))
      return outcome
    },

    async *listContents() {
      for await (const item of scanFor(client, table, 'summary')) yield parseSummary(item)
    },
  }
}

function createSourceItems(
  client: DynamoDBDocumentClient,
  table: string,
): Pick<ContentsAdmin, 'putSources' | 'readSources' | 'findSources' | 'touchSources' | 'removeSource' | 'listSources'> {
  const { putAll, setIf, deleteIf, removeBelow } = tableWrites(client, table)
  const readAll = (keys: readonly Item[]) => readItems(client, table, keys)
  const readSources = async (sourceIds: readonly string[]) =>
    (await readAll(sourceIds.map(contentsKey.source))).map(parseSource)
  return {
    putSources: async (sources, at) => {
      await putAll(sources.map((source) => writeSource(source, at)))
      // Written last, so that a source that is found by its file exists.
      const sourceNames = sources.flatMap(({ identity, etag, sourceId }) =>
        [identity, ...(etag === undefined ? [] : [identifyBytes(etag)])].map(
          (name) => [latestKey(name), sourceId] as const,
        ),
      )
      await putAll(sourceNames.map(([key, sourceId]) => ({ ...key, source_id: sourceId })))
    },

    readSources,

    findSources: async (identities) => {
      const latest = await readAll([...new Set(identities)].map(latestKey))
      return readSources(latest.map((item) => v.parse(latestSchema, item).source_id))
    },

    touchSources: async (sourceIds, at) => {
      const missing: string[] = []
      await workAtOnce(sourceIds, writesAtOnce, async (sourceId) => {
        const change = { fields: { touchedAt: at }, condition: 'attribute_exists(source_id)' }
        if ((await setIf(contentsKey.source(sourceId), change)) === 'superseded') missing.push(sourceId)
      })
      return missing
    },

    removeSource: async (sourceId, before) => {
      const isOld = 'attribute_not_exists(source_id) OR touched_at < :before'
      const outcome = await deleteIf(contentsKey.source(sourceId), isOld, { before })
      // The names of its codes.
      if (outcome === 'written') await removeBelow({ ...contentsKey.source(sourceId), item: '' })
      return outcome
    },

    async *listSources() {
      for await (const item of scanFor(client, table, 'source')) yield parseTouchedSource(item)
    },
  }
}

/** Key below which a content has its summary and its sources. */
const allOf = (contentId: string) => ({ ...contentsKey.summary(contentId), item: '' })

/** Returns the key of the latest source of a file. The name is hashed, because an address may be longer than a key. */
const latestKey = (identity: string) => contentsKey.latestSource(createHash('sha256').update(identity).digest('hex'))
