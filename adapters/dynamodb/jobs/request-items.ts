import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { filterList } from '../../../contract/filters.ts'
import { summaryDimensions, summaryOrders, summaryWeights } from '../../../contract/summaries.ts'
import { canonicalRequest, type SearchRequest } from '../../../core/search/search-request.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { jobItem } from '../../../schema/tables.ts'
import { epochSeconds, type Item } from '../stored-fields.ts'

/** The stored form of requests. */

const requestSchema = v.object({ request: v.instance(Uint8Array) })

const texts = v.exactOptional(v.array(v.string()))

/** The stored lists of filters: those of the request itself, or those of its `providers`. */
const storedLists = (areProviders: boolean) =>
  Object.fromEntries(
    filterList
      .filter((filter) => 'parent' in filter === areProviders)
      .map(({ field, kind }) => [field, kind === 'npi' ? v.exactOptional(v.array(v.number())) : texts]),
  )

/** The stored form of a summary's options, in requests and jobs. */
export const storedSummary = v.strictObject({
  weight: v.picklist(summaryWeights),
  by: v.array(v.picklist(summaryDimensions)),
  includeDoubtful: v.exactOptional(v.boolean()),
  countProviders: v.exactOptional(v.boolean()),
  first: v.exactOptional(v.strictObject({ order: v.picklist(summaryOrders), limit: v.number() })),
})

/** Strict: a filter that this version does not know must not be dropped, which would widen the search. */
const requestJson = v.strictObject({
  ...storedLists(false),
  providers: v.exactOptional(v.strictObject(storedLists(true))),
  feeSchedules: v.array(v.strictObject({ payer: v.string(), plan: v.string() })),
  planIds: texts,
  asOf: v.exactOptional(v.string()),
  summary: v.exactOptional(storedSummary),
  columns: v.exactOptional(v.array(v.picklist(ratesColumns.map(({ name }) => name)))),
  limit: v.exactOptional(v.number()),
  maxBytes: v.exactOptional(v.number()),
})

export function requestKeyItem(orgId: string, requestHash: string): Item {
  return { org_id: orgId, item: jobItem.request(requestHash) }
}

/** Compressed, because writes are billed per kilobyte and ten thousand NPIs shrink to half their size. */
export function writeRequest(orgId: string, requestHash: string, request: SearchRequest, expiresAt: Date): Item {
  const compressed = gzipSync(canonicalRequest(request))
  return { ...requestKeyItem(orgId, requestHash), request: compressed, expires_at: epochSeconds(expiresAt) }
}

export function parseRequest(item: Item): SearchRequest {
  const { request } = v.parse(requestSchema, item)
  return v.parse(requestJson, JSON.parse(gunzipSync(request).toString()))
}
