import { type ListSearches, listSearches } from '../../core/calls/list-searches.ts'
import { answer } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readApiKey } from '../http/request.ts'

/** `GET /v1/searches`: lists the organization's jobs, the newest first, page by page. */
export function listSearchesHandler(common: ListSearches) {
  return handleHttp(common, async (event, deps) =>
    answer(200, await listSearches(deps, readApiKey(event), event.queryStringParameters ?? {})),
  )
}
