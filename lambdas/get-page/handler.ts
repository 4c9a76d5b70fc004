import { NotFound } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readHeader } from '../http/request.ts'
import { describeDocuments, describeSecurity, type PageFacts } from './documents.ts'

/** A year, the longest time that browsers keep a file without asking. Source: RFC 9111, section 5.2.2.1. */
const immutable = 'public, max-age=31536000, immutable'

/**
 * `GET /` and its assets: the page, without a key. A browser keeps files whose addresses name the build, and asks of
 * others whether they are still the same. During a deploy, an older page may ask this build for a file of its own.
 */
export function getPageHandler({ log, ...facts }: PageFacts & { readonly log: Log }) {
  const documents = describeDocuments(facts)
  const security = describeSecurity(facts)
  const build = facts.read('build.txt')
  return handleHttp({ log }, async (event) => {
    const document = documents.find(({ path }) => path === event.resource)
    if (document === undefined) throw new NotFound()
    const { contentType, body, etag } = document
    const isOfBuild = event.queryStringParameters?.['build'] === build
    const headers = { 'Cache-Control': isOfBuild ? immutable : 'no-cache', ETag: etag, ...security }
    // The gateway may have made the tag a weak one when it compressed the body.
    const isUnchanged = readHeader(event, 'if-none-match')?.replace(/^W\//, '') === etag
    if (isUnchanged) return { statusCode: 304, headers, body: '' }
    return { statusCode: 200, headers: { ...headers, 'Content-Type': contentType }, body }
  })
}
