/** What `import … from 'rate-search'` has in a browser: the same names as `rate-search.ts`. */
import type { DownloadedFile } from './downloads/download.ts'
import { SearchCalls } from './search-calls.ts'

export { ApiError, ConnectionFailed, DownloadFailed, SearchFailed } from './errors.ts'

/** A client that cannot download: a browser has no folders. */
export class RateSearchClient extends SearchCalls {
  download(): Promise<readonly DownloadedFile[]> {
    return Promise.reject(new TypeError('download needs Node: in a browser, open download_urls of the search'))
  }
}
