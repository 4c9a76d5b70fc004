/** The package's entry point. Only this file and `browser.ts` re-export. */
export type * from './api.ts'
export type { DownloadedFile, DownloadOptions, DownloadProgress } from './downloads/download.ts'
export type { ApiErrorType } from './errors.ts'
export { ApiError, ConnectionFailed, DownloadFailed, SearchFailed } from './errors.ts'
export { RateSearchClient } from './rate-search-client.ts'
export type { Sleep } from './retries.ts'
export type { CreateOptions, FeeSchedulesQuery, FollowOptions, SearchesQuery } from './search-calls.ts'
export type { CallOptions, ClientOptions, Retry } from './transport.ts'
