import type { Body } from './schemas/body.ts'
import type { errorBody, fault } from './schemas/error.ts'
import type { estimate } from './schemas/estimates.ts'
import type { catalogueEntry, feeSchedulesPage } from './schemas/fee-schedules.ts'
import type { manifest } from './schemas/manifest.ts'
import type { searchesPage, searchSummary } from './schemas/search-list.ts'
import type { completedSearch, failedSearch, search, searchRequest } from './schemas/searches.ts'
import type { events } from './schemas/webhooks.ts'

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

/** Details of the events that the service sends, by event type. */
export type EventDetails = { readonly [Type in keyof typeof events]: Body<(typeof events)[Type]['detail']> }

/** Detail of the event that announces the end of a search. */
export type SearchEndedEvent = EventDetails['search.ended']

/** Detail of an event that announces the fee schedules that a load changed. */
export type FeeSchedulesUpdatedEvent = EventDetails['fee_schedules.updated']

/** One item of `GET /v1/fee-schedules`. */
export type CatalogueEntryBody = Body<typeof catalogueEntry>

export type FeeSchedulesBody = Body<typeof feeSchedulesPage>

/** One item of `GET /v1/searches`. */
export type SearchSummaryBody = Body<typeof searchSummary>

export type SearchesBody = Body<typeof searchesPage>

export type EstimateBody = Body<typeof estimate>
