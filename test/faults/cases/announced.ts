import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CaseRecord } from '../proxy/fault-proxy.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'
import { deliverSweeps } from './delivery.ts'
import { ageJob, isMoving, listJobs, type StoredJob } from './stored-job.ts'

/** Maximum number of whole sweeps before the end of a job must be announced. */
const maxSweeps = 3

/** Maximum milliseconds for that many sweeps to be whole. */
const maxMs = 60_000

/**
 * Checks that the end of a job was announced, if need be by the sweeper. A deleted job is out of the sweeper's reach,
 * so it must have been announced before.
 */
export async function findUnannounced(
  faulty: FaultyService,
  record: CaseRecord,
  job: StoredJob,
): Promise<readonly string[]> {
  // The step that ended the job announces it after its clients can see the end.
  for (let turn = 0; turn < 200 && (await isMoving(faulty.stepFunctions, record)); turn++) await sleep(100)
  const deadline = Date.now() + maxMs
  for (let sweeps = 0; !isAnnounced(faulty, job); ) {
    if (sweeps === maxSweeps || Date.now() > deadline) return [`the end was not announced by ${sweeps} whole sweeps`]
    for (const stored of await listJobs(faulty, job.org_id)) await ageJob(faulty, stored)
    if (await deliverSweeps(faulty, record, {})) sweeps++
  }
  return []
}

function isAnnounced({ eventLog }: FaultyService, { job_id }: StoredJob): boolean {
  return readFileSync(eventLog, 'utf8').includes(`"job_id":"${job_id}"`)
}
