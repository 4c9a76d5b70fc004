import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceAccess } from '../harness/contract-client.ts'
import { findWrongEnd } from '../harness/known-searches.ts'
import { connectJobsTable, listStoredJobs, listUnannounced } from '../harness/stored-jobs.ts'
import type { SteadyClient } from './steady-client.ts'

/**
 * Resends the searches without an answer and polls, until every search was accepted and has ended, and the short-lived
 * ones are deleted. Gives up if `until` aborts.
 */
export async function awaitEnds(client: SteadyClient, service: ServiceAccess, until: AbortSignal): Promise<void> {
  const isOpen = ({ end, isShortLived, isGone }: SteadyClient['sent'][number]) =>
    end === undefined || (isShortLived && isGone !== true)
  while (client.sent.some(isOpen) && !until.aborted) {
    await client.resend(service)
    await client.poll(service)
    await sleep(100)
  }
}

const listJobIds = ({ sent }: SteadyClient) => sent.flatMap(({ jobId }) => jobId ?? [])

/** Waits for the announcements of all jobs: by the step that ended a job, or by the sweeper a minute later. */
export async function awaitAnnouncements(client: SteadyClient, dataFolder: string, until: AbortSignal): Promise<void> {
  while (listUnannounced(dataFolder, listJobIds(client)).length > 0 && !until.aborted) await sleep(500)
}

/**
 * Compares what a client saw, and what the service has stored, with the promise: every accepted search has ended as
 * it must and was announced, and no other job is stored.
 *
 * @returns the violations, one line each
 */
export async function findWrongEnds(client: SteadyClient, dataFolder: string): Promise<readonly string[]> {
  const unannounced = listUnannounced(dataFolder, listJobIds(client))
  const faults = [...client.violations, ...unannounced.map((jobId) => `the end of job ${jobId} was never announced`)]
  const stored = await listStoredJobs(connectJobsTable(dataFolder))
  const storedIds = new Set(stored.map(({ job_id }) => job_id))
  for (const { known, jobId, end, isShortLived, isGone } of client.sent) {
    if (jobId === undefined) faults.push('a search was never accepted')
    else if (end === undefined) faults.push(`job ${jobId} did not end`)
    else if (isShortLived) faults.push(...(isGone === true ? [] : [`job ${jobId} could not be deleted`]))
    else {
      const wrong = await findWrongEnd(known, end)
      if (wrong !== undefined) faults.push(`job ${jobId} ${wrong}`)
      if (!storedIds.has(jobId)) faults.push(`job ${jobId} is not stored`)
    }
  }
  const clientJobs = new Set(client.sent.flatMap(({ jobId, isGone }) => (isGone === true ? [] : [jobId])))
  for (const { job_id, status } of stored) {
    if (status !== 'completed' && status !== 'failed') faults.push(`job ${job_id} is stored as ${status}`)
    if (!clientJobs.has(job_id))
      faults.push(`job ${job_id} is stored, but its client deleted it or never got it under its key`)
  }
  return faults
}
