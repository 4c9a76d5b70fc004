import { connectClient, openAnswerLog } from '../../harness/contract-client.ts'
import type { Fault, PlannedFault } from '../proxy/fault.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'
import type { CaseResult } from './run-case.ts'
import type { Scenario } from './scenario.ts'

/** A call that only a new environment makes; later invocations reuse its credentials. */
export const signingCall = 'get-search sts:AssumeRole'

const readingCall = 'get-search dynamodb:BatchGetItem job+key+organization+shards'

/**
 * Reads a completed job from a new environment whose call to STS meets a fault. It crashes the current environment to
 * get a new one, so nothing else may read jobs meanwhile.
 */
export async function runSigningCase(
  faulty: FaultyService,
  scenario: Scenario,
  completed: CaseResult['completed'],
  fault: Fault,
): Promise<CaseResult> {
  const started = Date.now()
  const { organization, jobId } = completed
  const answers = openAnswerLog()
  const client = connectClient({ baseUrl: faulty.service.baseUrl, apiKey: organization.api_key }, answers)
  // The end that all answers after it must have.
  await client.getSearch(jobId)
  const planned: PlannedFault = { call: signingCall, fault }
  const record = faulty.proxy.open(organization.id, [planned, { call: readingCall, fault: 'crash before' }])
  await client.getSearch(jobId)
  const crashed = answers.failures.length
  await client.getSearch(jobId)
  const allowed = fault.startsWith('once') ? 0 : 1
  await client.getSearch(jobId)
  await Promise.allSettled(record.held)
  const third = await client.getSearch(jobId)
  const refused = answers.failures.length - crashed
  const problems = [
    ...(crashed === 1 ? [] : ['the previous environment did not crash']),
    ...(refused <= allowed ? [] : [`${refused} answers were 500`]),
    ...(record.hits.has(0) ? [] : ['the fault never hit']),
    ...answers.violations,
    ...answers.lost,
  ]
  const outcome = third?.status ?? 'nothing'
  const ms = Date.now() - started
  return {
    scenario,
    fault: planned,
    delivery: {},
    completed,
    record,
    outcome,
    problems,
    sweeps: 0,
    ms,
    again: async () => [],
  }
}
