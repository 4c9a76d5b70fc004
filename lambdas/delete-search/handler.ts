import { type DeleteSearch, deleteSearch } from '../../core/calls/delete-search.ts'
import { answerNothing } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readApiKey, readJobId } from '../http/request.ts'

/** `DELETE /v1/searches/{job_id}`: 204 once the job and its files are deleted. */
export function deleteSearchHandler(common: DeleteSearch) {
  return handleHttp(common, async (event, deps) => {
    await deleteSearch(deps, readApiKey(event), readJobId(event))
    return answerNothing()
  })
}
