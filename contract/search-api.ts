/** What goes over the wire, name for name. Source: specification, "Resources and their fields". */

/** A payer and one of its plans. */
export interface FeeScheduleBody {
  readonly payer: string
  readonly plan: string
}

/** Body of `POST /v1/searches`. At least one of `npis` and `billing_codes` is required; the one left out means all. */
export interface SearchRequestBody {
  readonly npis?: readonly number[]
  readonly billing_codes?: readonly string[]
  readonly fee_schedules: readonly FeeScheduleBody[]
}

interface SearchBodyBase {
  /** UUIDv4. */
  readonly job_id: string
  /** ISO 8601 in UTC with milliseconds and a numeric offset: `2026-11-20T09:30:00.123+00:00`. */
  readonly created_at: string
  readonly status_url: string
}

export interface RunningSearchBody extends SearchBodyBase {
  readonly status: 'queued' | 'processing'
}

export interface CompletedSearchBody extends SearchBodyBase {
  readonly status: 'completed'
  readonly completed_at: string
  /** One pre-signed URL a shard; 1 or more. */
  readonly download_urls: readonly string[]
  /** The one end of every URL in `download_urls`. */
  readonly expires_at: string
}

export interface FailedSearchBody extends SearchBodyBase {
  readonly status: 'failed'
  /** One word of the table of failures, a colon and a sentence. */
  readonly error: string
}

/** Body of `POST /v1/searches`, of `GET /v1/searches/{job_id}` and of `POST /v1/searches/{job_id}/cancel`. */
export type SearchBody = RunningSearchBody | CompletedSearchBody | FailedSearchBody

/** One item of `GET /v1/fee-schedules`. */
export interface CatalogueEntryBody extends FeeScheduleBody {
  /** The plan ids of this fee schedule, `ein|222222222`, leading zeros kept; empty if there are none or more than 32. */
  readonly plan_ids: readonly string[]
  /** How many plan ids the fee schedule has. */
  readonly plan_id_count: number
  /** Date of the newest published snapshot (`YYYY-MM-DD`), null where no file states one. */
  readonly last_updated_on: string | null
  /** True when some of the files that the payer lists for the plan were missing at the load. */
  readonly partial: boolean
}

/** Body of `GET /v1/fee-schedules`. */
export interface FeeSchedulesBody {
  readonly fee_schedules: readonly CatalogueEntryBody[]
  /** What to send as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}
