import type { APIGatewayProxyEvent } from 'aws-lambda'
import { rowsTotalHeader, rowsTruncatedHeader } from '../../contract/headers.ts'
import { type GetRows, getRows } from '../../core/calls/get-rows.ts'
import { answer, answerText } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readApiKey, readHeader, readJobId } from '../http/request.ts'
import { writeCsv } from './write-csv.ts'

/** `GET /v1/searches/{job_id}/rows`: 200 with rows as JSON, or as CSV if `format` or `Accept` asks for it. */
export function getRowsHandler(common: GetRows) {
  return handleHttp(common, async (event, deps) => {
    const parameters = event.queryStringParameters ?? {}
    const body = await getRows(deps, readApiKey(event), readJobId(event), parameters)
    if (!asksForCsv(event)) return answer(200, body)
    return answerText(200, 'text/csv; charset=utf-8', writeCsv(body), {
      [rowsTotalHeader]: String(body.rows_total),
      [rowsTruncatedHeader]: String(body.truncated),
    })
  })
}

function asksForCsv(event: APIGatewayProxyEvent): boolean {
  const format = event.queryStringParameters?.['format']
  if (format !== undefined) return format === 'csv'
  const accepted = (readHeader(event, 'accept') ?? '').toLowerCase()
  return accepted.includes('text/csv') && !accepted.includes('application/json')
}
