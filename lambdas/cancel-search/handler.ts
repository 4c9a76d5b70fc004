import { type CancelSearch, cancelSearch } from '../../core/calls/cancel-search.ts'
import { describeSearch } from '../../core/calls/search-body.ts'
import { answer } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readApiKey, readJobId } from '../http/request.ts'

/** `POST /v1/searches/{job_id}/cancel`: 200 with the cancelled job. Idempotent; the body is ignored. */
export function cancelSearchHandler(common: CancelSearch & { readonly publicBaseUrl: string }) {
  return handleHttp(common, async (event, deps) => {
    const job = await cancelSearch(deps, readApiKey(event), readJobId(event))
    return answer(200, describeSearch(job, deps.publicBaseUrl))
  })
}
