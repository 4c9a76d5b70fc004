import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import type { Content, ContentSource, ContentSummary, Source } from '../../../core/catalogue/content.ts'
import type { LoadFilter } from '../../../core/catalogue/load-filter.ts'
import { chunk } from '../../../core/chunk.ts'
import type { NppesMonths } from '../../../core/nppes/nppes-months.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { type Item, readFields, splitBytes, storedTime, writeFields } from '../stored-fields.ts'
import { factsSchema } from './catalogue-items.ts'

/** The item formats of contents, sources and filters in the contents table. No other file knows these attributes. */

const summarySchema = v.object({
  content_id: v.string(),
  load_id: v.string(),
  sources_key: v.string(),
  layout: v.exactOptional(v.number()),
  load_ids: v.array(v.string()),
  source_count: v.number(),
  ref_parts: v.number(),
  figures: v.object({
    rates: v.number(),
    codes: v.number(),
    npis: v.number(),
    prices: v.exactOptional(v.number()),
    pairs: v.exactOptional(v.number()),
    groupRows: v.exactOptional(v.number()),
  }),
  partial_load: v.boolean(),
  filter_id: v.exactOptional(v.string()),
  without_descriptions: v.exactOptional(v.boolean()),
  last_updated_on: v.exactOptional(v.string()),
  unreadable_day: v.exactOptional(v.string()),
  table_bytes: v.exactOptional(v.number()),
  created_at: storedTime,
  retired_at: v.exactOptional(storedTime),
})

/**
 * The place and form of rows in the warehouse. Contents and sources with another number are outdated. Version 0.2
 * stored no number and used other folders; number 2 stored a row for each provider group of a price; number 3 chose
 * folders by whole ids, and counted the files of a source in one table; number 4 chose the folders of contents so.
 */
const layout = 5

/** The sources by load, and by source the known sizes and the numbers of files where they are not all 1. */
const refsSchema = v.object({
  refs: v.record(v.string(), v.array(v.string())),
  sizes: v.optional(v.record(v.string(), v.number()), {}),
  files: v.optional(v.record(v.string(), v.array(v.number())), {}),
})

/** Maximum number of sources per item: at most 105 bytes each with sizes and numbers, of the 400 KB of an item. */
const refsPerItem = 3_500

/** Splits a content into items: parts with its sources, and its summary, whose presence makes the content complete. */
export function writeContent(content: Content): { readonly parts: readonly Item[]; readonly summary: Item } {
  const { sources, partial, ...summary } = content
  const { contentId } = content
  const chunks = chunk(sources, refsPerItem)
  const facts = { layout, loadIds: [...new Set(sources.map(({ loadId }) => loadId))].sort(), partialLoad: partial }
  const counts = { sourceCount: sources.length, refParts: chunks.length }
  return {
    parts: chunks.map((refs, part) => ({ ...contentsKey.sourceRefs(contentId, part), ...writeRefs(refs) })),
    summary: { ...contentsKey.summary(contentId), ...writeFields({ ...summary, ...facts, ...counts }) },
  }
}

function writeRefs(refs: readonly ContentSource[]): Item {
  const grouped = Map.groupBy(refs, ({ loadId }) => loadId)
  return {
    refs: Object.fromEntries(
      [...grouped].map(([loadId, loadRefs]) => [loadId, loadRefs.map(({ sourceId }) => sourceId)]),
    ),
    sizes: Object.fromEntries(refs.flatMap(({ sourceId, bytes }) => (bytes === undefined ? [] : [[sourceId, bytes]]))),
    files: Object.fromEntries(
      refs.flatMap(({ sourceId, files = [] }) => (files.every((count) => count === 1) ? [] : [[sourceId, files]])),
    ),
  }
}

export function parseRefs(item: Item): readonly ContentSource[] {
  const { refs, sizes, files } = v.parse(refsSchema, item)
  return Object.entries(refs).flatMap(([loadId, ids]) =>
    ids.map((sourceId) => {
      const [bytes, counts] = [sizes[sourceId], files[sourceId]]
      const measures = { ...(bytes !== undefined && { bytes }), ...(counts !== undefined && { files: counts }) }
      return { loadId, sourceId, ...measures }
    }),
  )
}

/** Number of items with a content's sources. */
export function countRefParts(summary: Item): number {
  return v.parse(summarySchema, summary).ref_parts
}

export function parseSummary(item: Item): ContentSummary {
  const {
    layout: storedLayout,
    refParts: _,
    partialLoad: partial,
    ...summary
  } = readFields(v.parse(summarySchema, item))
  return { ...summary, partial, ...(storedLayout !== layout && { isOutdated: true }) }
}

const sourceJson = v.object({
  loadId: v.string(),
  sourceId: v.string(),
  identity: v.string(),
  name: v.string(),
  contentHash: v.string(),
  bytes: v.number(),
  tableBytes: v.exactOptional(v.number()),
  tableFiles: v.exactOptional(v.array(v.number())),
  layout: v.exactOptional(v.number()),
  etag: v.exactOptional(v.string()),
  publishedEtag: v.exactOptional(v.string()),
  loaderVersion: v.string(),
  filterId: v.exactOptional(v.string()),
  withoutDescriptions: v.exactOptional(v.boolean()),
  references: v.array(v.object({ identity: v.string(), contentHash: v.string() })),
  reportingEntityName: v.string(),
  names: v.object({
    issuer: v.exactOptional(v.string()),
    plan: v.exactOptional(v.string()),
    planId: v.exactOptional(v.string()),
    planIdType: v.exactOptional(v.string()),
  }),
  facts: v.exactOptional(factsSchema),
  lastUpdatedOn: v.exactOptional(v.string()),
  unreadableDay: v.exactOptional(v.string()),
  partial: v.boolean(),
  prices: v.number(),
  skipped: v.number(),
  rates: v.number(),
  codes: v.number(),
  npis: v.number(),
  pairs: v.exactOptional(v.number()),
  groupRows: v.exactOptional(v.number()),
  findings: v.record(v.string(), v.number()),
})

const factsItem = v.object({ facts: v.string() })

/** Formats a source as one item. Its facts are only read together, so they are one JSON text. */
export function writeSource(source: Source, at: Date): Item {
  return {
    ...contentsKey.source(source.sourceId),
    ...writeFields({
      loadId: source.loadId,
      sourceId: source.sourceId,
      touchedAt: at,
      facts: JSON.stringify({ ...source, layout }),
    }),
  }
}

export function parseSource(item: Item): Source {
  const { layout: stored, tableFiles, ...source } = v.parse(sourceJson, JSON.parse(v.parse(factsItem, item).facts))
  // A source of an earlier layout has no files that searches find.
  return { ...source, ...(stored === layout && tableFiles !== undefined && { tableFiles }) }
}

const touchedSource = v.object({ load_id: v.string(), source_id: v.string(), touched_at: storedTime })

export const parseTouchedSource = (item: Item) => readFields(v.parse(touchedSource, item))

const filterJson = v.object({
  id: v.string(),
  codes: v.exactOptional(v.array(v.string())),
  npis: v.exactOptional(v.array(v.number())),
  networks: v.exactOptional(v.array(v.string())),
})

const filterItem = v.object({ bytes: v.instance(Uint8Array) })

/**
 * Splits a filter into items. The first item comes last, because its presence makes the filter complete; it has their
 * number.
 */
export function writeFilter(filter: LoadFilter): readonly Item[] {
  const parts = splitBytes(gzipSync(JSON.stringify(filter)))
  return parts
    .map((part, index) => ({ ...contentsKey.filter(filter.id, index), bytes: part, parts: parts.length }))
    .reverse()
}

/** @param items all items of one filter, in order of their keys */
export function parseFilter(items: readonly Item[]): LoadFilter | undefined {
  if (items.length === 0) return undefined
  const bytes = Buffer.concat(items.map((item) => v.parse(filterItem, item).bytes))
  return v.parse(filterJson, JSON.parse(gunzipSync(bytes).toString()))
}

/** A month of NPPES. The months are only read together, so they are one JSON text. */
const nppesMonth = {
  nppesMonthId: v.string(),
  month: v.string(),
  rows: v.number(),
  bytes: v.number(),
  directory: v.exactOptional(v.object({ bytes: v.number() })),
  rowGroupRows: v.number(),
  loadedAt: storedTime,
}

const referencesJson = v.object({
  version: v.string(),
  active: v.exactOptional(v.object(nppesMonth)),
  replaced: v.array(v.object({ ...nppesMonth, replacedAt: storedTime })),
})

export const writeNppesMonths = (months: NppesMonths): Item => {
  return { ...contentsKey.nppesMonths, version: months.version, facts: JSON.stringify(months) }
}

export const parseNppesMonths = (item: Item): NppesMonths =>
  v.parse(referencesJson, JSON.parse(v.parse(factsItem, item).facts))
