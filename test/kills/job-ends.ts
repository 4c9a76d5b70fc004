import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceAccess } from '../harness/contract-client.ts'
import { findWrongEnds, findWrongStores } from '../harness/end-rules.ts'
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

/** Returns all that a client must not have seen, and what the end rules find. */
export async function findFaults(client: SteadyClient, dataFolder: string): Promise<readonly string[]> {
  const stored = await listStoredJobs(connectJobsTable(dataFolder))
  const wrongStores = findWrongStores(client.sent, stored, listUnannounced(dataFolder, listJobIds(client)))
  return [...client.violations, ...(await findWrongEnds(client.sent)), ...wrongStores]
}
