import type { Body } from './schemas/body.ts'
import type { errorBody, fault } from './schemas/error.ts'
import type { estimate } from './schemas/estimates.ts'
import type { catalogueEntry, feeSchedulesPage } from './schemas/fee-schedules.ts'
import type { feeSchedulesUpdated } from './schemas/fee-schedules-updated.ts'
import type { manifest } from './schemas/manifest.ts'
import type { searchEnded } from './schemas/search-ended.ts'
import type { searchesPage, searchSummary } from './schemas/search-list.ts'
import type { completedSearch, failedSearch, search, searchRequest } from './schemas/searches.ts'

/**
 * Types of request and answer bodies; the schemas describe each field. Functions import only these types, so that their
 * bundles contain no schema library.
 */

/** One fault of a request: its location (`fee_schedules[2].plan`) and the rule that it breaks. */
export type Fault = Body<typeof fault>

export type ErrorBody = Body<typeof errorBody>

export type SearchRequestBody = Body<typeof searchRequest>

export type CompletedSearchBody = Body<typeof completedSearch>

export type FailedSearchBody = Body<typeof failedSearch>

/** Body of `POST /v1/searches`, of `GET /v1/searches/{job_id}` and of `POST /v1/searches/{job_id}/cancel`. */
export type SearchBody = Body<typeof search>

export type ManifestBody = Body<typeof manifest>

/** Detail of the event that announces the end of a search. */
export type SearchEndedEvent = Body<typeof searchEnded>

/** Detail of an event that announces what a load changed. */
export type FeeSchedulesUpdatedEvent = Body<typeof feeSchedulesUpdated>

/** One item of `GET /v1/fee-schedules`. */
export type CatalogueEntryBody = Body<typeof catalogueEntry>

export type FeeSchedulesBody = Body<typeof feeSchedulesPage>

/** One item of `GET /v1/searches`. */
export type SearchSummaryBody = Body<typeof searchSummary>

export type SearchesBody = Body<typeof searchesPage>

export type EstimateBody = Body<typeof estimate>
