import { idempotencyKeyHeader, replayedHeader } from '../../contract/headers.ts'
import { type CreateSearch, createSearch } from '../../core/calls/create-search.ts'
import { describeSearch, retryAfterSeconds, statusUrl } from '../../core/calls/search-body.ts'
import { answer } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readJsonBody } from '../http/json-body.ts'
import { readApiKey, readHeader } from '../http/request.ts'

/** `POST /v1/searches`: 202 with the queued job, its status URL and when to poll; replays are marked by a header. */
export function createSearchHandler(common: CreateSearch & { readonly publicBaseUrl: string }) {
  return handleHttp(common, async (event, deps) => {
    const idempotencyKey = readHeader(event, idempotencyKeyHeader)
    const { job, isReplay } = await createSearch(deps, readApiKey(event), () => readJsonBody(event), idempotencyKey)
    return answer(202, describeSearch(job, deps.publicBaseUrl), {
      Location: statusUrl(deps.publicBaseUrl, job.jobId),
      'Retry-After': String(retryAfterSeconds(job, job.createdAt)),
      ...(isReplay && { [replayedHeader]: 'true' }),
    })
  })
}
