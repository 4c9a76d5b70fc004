/** The package's entry point. Only this file and `browser.ts` re-export. */
export type * from './api.ts'
export type { DownloadedFile, DownloadOptions, DownloadProgress } from './downloads/download.ts'
export type { ApiErrorType } from './errors.ts'
export { ApiError, ConnectionFailed, DownloadFailed, SearchFailed } from './errors.ts'
export type {
  BillingCodesQuery,
  FeeSchedulesQuery,
  ProvidersQuery,
  SearchesQuery,
  SpecialtiesQuery,
} from './list-calls.ts'
export { RateSearchClient } from './rate-search-client.ts'
export type { Sleep } from './retries.ts'
export type { CreateOptions, FollowOptions, GetOptions, RowsQuery, SearchOptions } from './search-calls.ts'
export type { CallOptions, ClientOptions, Retry } from './transport.ts'
