import type { GenericSchema } from 'valibot'
import type { calls } from './calls.ts'
import type { Route } from './routes.ts'
import type { Body } from './schemas/body.ts'
import type { errorBody, fault } from './schemas/error.ts'
import type { catalogueEntry } from './schemas/fee-schedules.ts'
import type { namedProvider } from './schemas/providers.ts'
import type { searchRequest } from './schemas/requests/search-request.ts'
import type { searchListItem } from './schemas/search-list.ts'
import type { completedSearch, failedSearch } from './schemas/searches.ts'
import type { namedBillingCode, specialty } from './schemas/vocabulary.ts'
import type { events } from './schemas/webhooks.ts'

/**
 * Types of request and answer bodies; the schemas describe each field. Functions that parse no body import only
 * these types, so that their bundles contain no schemas.
 */

/** One fault of a request: its location (`fee_schedules[2].plan`) and the rule that it breaks. */
export type Fault = Body<typeof fault>

export type ErrorBody = Body<typeof errorBody>

export type SearchRequestBody = Body<typeof searchRequest>

export type CompletedSearchBody = Body<typeof completedSearch>

export type FailedSearchBody = Body<typeof failedSearch>

/** Body of `POST /v1/searches`, of `GET /v1/searches/{job_id}` and of `POST /v1/searches/{job_id}/cancel`. */
export type SearchBody = AnswerBody<'get-search'>

/** Body of the answer of a call by its name. */
export type AnswerBody<Operation extends Route['operation']> = (typeof calls)[Operation]['success'] extends {
  readonly body: infer Schema extends GenericSchema
}
  ? Body<Schema>
  : never

export type ManifestBody = AnswerBody<'get-manifest'>

export type RowsBody = AnswerBody<'get-rows'>

/** Details of the events that the service sends, by event type. */
export type EventDetails = { readonly [Type in keyof typeof events]: Body<(typeof events)[Type]['detail']> }

/** Detail of the event that announces the end of a search. */
export type SearchEndedEvent = EventDetails['search.ended']

/** Detail of an event that announces the fee schedules that a load changed. */
export type FeeSchedulesUpdatedEvent = EventDetails['fee_schedules.updated']

/** One item of `GET /v1/fee-schedules`. */
export type CatalogueEntryBody = Body<typeof catalogueEntry>

export type FeeSchedulesBody = AnswerBody<'list-fee-schedules'>

/** One item of `GET /v1/searches`. */
export type SearchListItemBody = Body<typeof searchListItem>

/** One item of `GET /v1/billing-codes`. */
export type NamedBillingCodeBody = Body<typeof namedBillingCode>

export type BillingCodesBody = AnswerBody<'list-billing-codes'>

/** One item of `GET /v1/specialties`. */
export type SpecialtyBody = Body<typeof specialty>

export type SpecialtiesBody = AnswerBody<'list-specialties'>

/** One item of `GET /v1/providers`. */
export type NamedProviderBody = Body<typeof namedProvider>

export type ProvidersBody = AnswerBody<'list-providers'>

export type SearchesBody = AnswerBody<'list-searches'>

export type EstimateBody = AnswerBody<'estimate-search'>
