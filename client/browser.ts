/** The package's entry point in browsers: the same names as `rate-search.ts`. */
import type { DownloadedFile } from './downloads/download.ts'
import { SearchCalls } from './search-calls.ts'

export { ApiError, ConnectionFailed, DownloadFailed, SearchFailed } from './errors.ts'

/** A client without downloads to folders, which browsers do not have. */
export class RateSearchClient extends SearchCalls {
  download(): Promise<readonly DownloadedFile[]> {
    return Promise.reject(new TypeError('download needs Node: in a browser, open download_urls of the search'))
  }
}
