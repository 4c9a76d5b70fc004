import { type ListFeeSchedules, listFeeSchedules } from '../../core/calls/list-fee-schedules.ts'
import { answer } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readApiKey } from '../http/request.ts'

/** `GET /v1/fee-schedules`: lists what can be searched, page by page. */
export function listFeeSchedulesHandler(common: ListFeeSchedules) {
  return handleHttp(common, async (event, deps) =>
    answer(200, await listFeeSchedules(deps, readApiKey(event), event.queryStringParameters ?? {})),
  )
}
