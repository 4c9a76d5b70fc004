import { type GetSearch, getSearch } from '../../core/calls/get-search.ts'
import { answer } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readApiKey, readJobId } from '../http/request.ts'

/** `GET /v1/searches/{job_id}`: 200 in every state of the job, with freshly signed URLs once it is completed. */
export function getSearchHandler(common: GetSearch) {
  return handleHttp(common, async (event, deps) => {
    const { body, retryAfter } = await getSearch(
      deps,
      readApiKey(event),
      readJobId(event),
      event.queryStringParameters ?? {},
    )
    return answer(200, body, retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) })
  })
}
