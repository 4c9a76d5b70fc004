import { type EstimateSearch, estimateSearch } from '../../core/calls/estimate-search.ts'
import { answer } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readJsonBody } from '../http/json-body.ts'
import { readApiKey } from '../http/request.ts'

/** `POST /v1/estimates`: what a search would read, without starting it. */
export function estimateSearchHandler(common: EstimateSearch) {
  return handleHttp(common, async (event, deps) =>
    answer(200, await estimateSearch(deps, readApiKey(event), () => readJsonBody(event))),
  )
}
