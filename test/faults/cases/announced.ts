import { setTimeout as sleep } from 'node:timers/promises'
import { DescribeExecutionCommand } from '@aws-sdk/client-sfn'
import { ageJobs, listUnannounced, type StoredJob } from '../../harness/stored-jobs.ts'
import type { CaseRecord } from '../proxy/fault-proxy.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'
import { deliverSweeps } from './delivery.ts'

/** Maximum number of whole sweeps before the end of a job must be announced. */
const maxSweeps = 3

/** Maximum milliseconds for that many sweeps to be whole. */
const maxMs = 60_000

/**
 * Waits until the end of a job is announced, if need be by the sweeper. A deleted job is out of the sweeper's reach, so
 * it must have been announced before. Gives up after some sweeps.
 */
export async function awaitAnnouncement(faulty: FaultyService, record: CaseRecord, job: StoredJob): Promise<void> {
  // The step that ended the job announces it after its clients can see the end.
  for (let turn = 0; turn < 200 && (await isMoving(faulty, record)); turn++) await sleep(100)
  const deadline = Date.now() + maxMs
  for (let sweeps = 0; listUnannounced(faulty.dataFolder, [job.job_id]).length > 0; ) {
    if (sweeps === maxSweeps || Date.now() > deadline) return
    await ageJobs(faulty.jobs, job.org_id)
    if (await deliverSweeps(faulty, record, {})) sweeps++
  }
}

/** Returns true while an execution of the case is running. */
export async function isMoving({ stepFunctions }: FaultyService, { executions, held }: CaseRecord): Promise<boolean> {
  if (held.size > 0) return true
  const states = await Promise.all(
    [...executions].map((executionArn) => stepFunctions.send(new DescribeExecutionCommand({ executionArn }))),
  )
  return states.some(({ status }) => status === 'RUNNING')
}
