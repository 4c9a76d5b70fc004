import type { LocalServiceOptions } from '../../local/service.ts'
import { answerExhausted } from '../faults/proxy/refusals.ts'
import { standBefore } from '../local/call-proxy.ts'

/** First attempts of jobs whose ids begin with one of these digits run out of memory: about a third. */
const firstAttempt = /\/[0-4][0-9a-f]{7}-[0-9a-f-]{27}\/[^/]+\/attempt-1\//

/**
 * Stands before the local Athena and lets the first query of some jobs run out of memory, of the same jobs after each
 * restart. The query itself goes on, and writes its files.
 */
export const exhaustQueries: NonNullable<LocalServiceOptions['observe']> = (service, url) => {
  const exhaustedIds = new Set<string>()
  return standBefore(url, async ({ headers, body }, pass) => {
    const operation = service === 'athena' ? String(headers['x-amz-target']) : ''
    const [, queryId = ''] = /"QueryExecutionId":\s*"([^"]+)"/.exec(body.toString()) ?? []
    if (operation.endsWith('.GetQueryExecution') && exhaustedIds.has(queryId)) return answerExhausted(queryId)
    const answer = await pass()
    if (operation.endsWith('.StartQueryExecution') && firstAttempt.test(body.toString())) {
      const [, startedId] = /"QueryExecutionId":\s*"([^"]+)"/.exec(answer.body.toString()) ?? []
      if (startedId !== undefined) exhaustedIds.add(startedId)
    }
    return answer
  })
}
