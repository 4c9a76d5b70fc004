import type { downloadFiles as download } from './download.ts'

/** What browsers get in the place of `download.ts`: they have no folders. */
export const downloadFiles: typeof download = () =>
  Promise.reject(new TypeError('download needs Node: in a browser, open download_urls of the search'))
