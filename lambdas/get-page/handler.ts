import { NotFound } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readHeader } from '../http/request.ts'
import { describeDocuments, describeSecurity, type PageFacts } from './documents.ts'

/** `GET /` and its assets: the page, without a key. A browser keeps each file and asks whether it is still the same. */
export function getPageHandler({ log, ...facts }: PageFacts & { readonly log: Log }) {
  const documents = describeDocuments(facts)
  const security = describeSecurity(facts)
  return handleHttp({ log }, async (event) => {
    const document = documents.find(({ path }) => path === event.resource)
    if (document === undefined) throw new NotFound()
    const { contentType, body, etag } = document
    const headers = { 'Cache-Control': 'no-cache', ETag: etag, ...security }
    // The gateway may have made the tag a weak one when it compressed the body.
    const isUnchanged = readHeader(event, 'if-none-match')?.replace(/^W\//, '') === etag
    if (isUnchanged) return { statusCode: 304, headers, body: '' }
    return { statusCode: 200, headers: { ...headers, 'Content-Type': contentType }, body }
  })
}
