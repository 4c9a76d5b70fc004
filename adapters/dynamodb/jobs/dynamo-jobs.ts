import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { JobRun, JobStatus, Shard } from '../../../core/job/job.ts'
import { isTerminal, predecessorsOf, terminalStatuses } from '../../../core/job/job.ts'
import type { Jobs } from '../../../core/job/ports.ts'
import { unendedIndex } from '../../../schema/tables.ts'
import { readItems } from '../dynamo-client.ts'
import { epochSeconds, writeFields } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'
import { putNewJob } from './dynamo-job-creation.ts'
import { findJob, jobKeyItem, parseJobHolder, readWholeJob, shardsKeyItem, writeShards } from './job-items.ts'
import { packContents, packPairs } from './packed-contents.ts'
import { parseRequest, requestKeyItem, writeRequest } from './request-items.ts'

/**
 * Stores jobs in DynamoDB (`jobsTable` in schema/tables.ts). Every state change is conditional on the job's run and the
 * transition table, so late writers change nothing.
 */
export function createDynamoJobs(client: DynamoDBDocumentClient, TableName: string): Jobs {
  const { put, putIf, setIf, updateIf, deleteIf } = tableWrites(client, TableName)
  /** Sets fields of a job if its run matches and its state is one of `from`. */
  const set = (job: JobRun, from: readonly JobStatus[], fields: object, condition = '', absent: object = {}) => {
    const is = isRunIn(job, from)
    return setIf(jobKeyItem(job), fields, is.condition + condition, is.values, absent)
  }

  return {
    create: async (job, request, requestExpiresAt, endedBefore) => {
      await put(writeRequest(job.orgId, job.requestHash, request, requestExpiresAt))
      return putNewJob(client, TableName, job, request, endedBefore)
    },

    read: (key) =>
      readWholeJob(async () => findJob(await readItems(client, TableName, [jobKeyItem(key), shardsKeyItem(key)]))),

    readRequest: async (orgId, requestHash) => {
      const [item] = await readItems(client, TableName, [requestKeyItem(orgId, requestHash)])
      return item && parseRequest(item)
    },

    begin: (job, { contents, feeSchedules, nppesMonth }, at) => {
      const chosen = writeFields({
        contents: contents && packContents(contents),
        foundPlans: feeSchedules && packPairs(feeSchedules),
        nppes: nppesMonth && writeFields(nppesMonth),
      })
      const begun = { status: 'processing', touchedAt: at, ...chosen }
      const from: readonly JobStatus[] = [...predecessorsOf('processing'), 'processing']
      return set(job, from, begun, ' AND attribute_not_exists(contents)', { processingAt: at })
    },

    noteQuery: (job, query, at) => {
      const noted = { runningQuery: writeFields(query), touchedAt: at }
      return set(job, ['processing'], noted, '', { runningSince: at })
    },

    noteAttempt: (job, ended, at) => {
      const is = isRunIn(job, ['processing'])
      const change =
        'SET ended_attempts = list_append(if_not_exists(ended_attempts, :none), :ended), latest_ended = :attempt, touched_at = :at'
      const isLater = `${is.condition} AND (attribute_not_exists(latest_ended) OR latest_ended < :attempt)`
      const attempt = { none: [], ended: [writeFields(ended)], attempt: ended.attempt, at }
      return updateIf(jobKeyItem(job), change, isLater, { ...is.values, ...attempt })
    },

    touch: (job, at) => set(job, ['queued', 'processing'], { touchedAt: at }),

    complete: async (job, expiresAt) => {
      // Claim the job first: once it is completed, no other attempt may touch its shards.
      const from = predecessorsOf('completed')
      const latest = ' AND (attribute_not_exists(attempt) OR attempt <= :attempt)'
      const claim = await set(job, from, { attempt: job.attempt }, latest)
      if (claim === 'superseded') return claim
      // Write the shards before the status, so that no reader sees a completed job without them. A superseded attempt
      // fails here or in the last write.
      const shards = await putIf(
        writeShards(job, expiresAt),
        // The later run wins: a step of a deleted run must not replace the shards of the next run.
        'attribute_not_exists(org_id) OR (#run = :run AND attempt <= :attempt) OR (#run <> :run AND created_at < :created_at)',
        job,
      )
      if (shards === 'superseded') return shards
      const result = {
        attempt: job.attempt,
        resultRows: sumOf(job.shards, ({ rows }) => rows),
        resultBytes: sumOf(job.shards, ({ bytes }) => bytes),
        ...(job.bytesScanned !== undefined && { bytesScanned: job.bytesScanned }),
      }
      const ended = ending('completed', job.completedAt, expiresAt)
      return set(job, from, { ...result, ...ended }, ' AND attempt = :attempt')
    },

    fail: (job, expiresAt) => {
      const ended = ending('failed', job.failedAt, expiresAt)
      return set(job, predecessorsOf('failed'), { failure: job.error, ...ended })
    },

    noteAnnounced: (job) => set(job, terminalStatuses, outOfIndex),

    remove: async (job) => {
      const ended = isRunIn(job, terminalStatuses)
      // The SDK retries a delete whose response was lost; by then the job no longer exists.
      const condition = `attribute_not_exists(org_id) OR (${ended.condition} AND attribute_not_exists(${unendedIndex.partitionKey}))`
      const removeItem = () => deleteIf(jobKeyItem(job), condition, ended.values)
      let removal = await removeItem()
      if (removal === 'superseded') {
        const end = await readEnd(client, TableName, job)
        if (end !== 'announced') return end ?? removal
        // The end was announced after the write was refused.
        removal = await removeItem()
      }
      await deleteIf(shardsKeyItem(job), '#run = :run', { run: job.run })
      return removal
    },
  }
}

/** This run of a job, in one of these states. */
function isRunIn({ run }: JobRun, statuses: readonly JobStatus[]) {
  const condition = `#run = :run AND #status IN (${statuses.map((status) => `:is_${status}`).join(', ')})`
  return { condition, values: { run, ...Object.fromEntries(statuses.map((status) => [`is_${status}`, status])) } }
}

/** An announced job leaves the sparse index, so the sweeper no longer sees it. */
const outOfIndex = { [unendedIndex.partitionKey]: undefined, [unendedIndex.sortKey]: undefined }

/** Reads whether the end of this run of a job was announced; undefined if it has not ended, or is gone. */
async function readEnd(
  client: DynamoDBDocumentClient,
  TableName: string,
  job: JobRun,
): Promise<'announced' | 'unannounced' | undefined> {
  const [item] = await readItems(client, TableName, [jobKeyItem(job)])
  if (item === undefined) return undefined
  const { run, status } = parseJobHolder(item)
  if (run !== job.run || !isTerminal(status)) return undefined
  return item[unendedIndex.partitionKey] === undefined ? 'announced' : 'unannounced'
}

const sumOf = (shards: readonly Shard[], part: (shard: Shard) => number) =>
  shards.reduce((sum, shard) => sum + part(shard), 0)

/** An ended job stays in the sparse index, as last touched at its end, until it is announced. */
const ending = (status: JobStatus, endedAt: Date, expiresAt: Date) => ({
  status,
  endedAt,
  expiresAt: epochSeconds(expiresAt),
  [unendedIndex.sortKey]: endedAt,
})
