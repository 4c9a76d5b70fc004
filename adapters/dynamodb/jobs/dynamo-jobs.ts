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

/** A change of a job's item, which happens only in this run of the job and in one of the states. */
interface JobChange {
  readonly from: readonly JobStatus[]
  readonly fields: object
  /** Further conditions on the item. */
  readonly and?: readonly string[]
  /** Fields that are only set if the item lacks them. */
  readonly absent?: object
}

/**
 * Stores jobs in DynamoDB (`jobsTable` in schema/tables.ts). Every state change is conditional on the job's run and the
 * transition table, so late writers change nothing.
 */
export function createDynamoJobs(client: DynamoDBDocumentClient, table: string): Jobs {
  const writes = tableWrites(client, table)
  return {
    create: async (job, request, requestExpiresAt, endedBefore) => {
      await writes.put(writeRequest(job.orgId, job.requestHash, request, requestExpiresAt))
      return putNewJob(client, { table, job, request, endedBefore })
    },

    read: (key) =>
      readWholeJob(async () => findJob(await readItems(client, table, [jobKeyItem(key), shardsKeyItem(key)]))),

    readRequest: async (orgId, requestHash) => {
      const [item] = await readItems(client, table, [requestKeyItem(orgId, requestHash)])
      return item && parseRequest(item)
    },

    ...describeProgress(writes),

    ...describeEnds(writes),

    remove: async (job) => {
      const isEnded = isRunIn(job, terminalStatuses)
      // The SDK retries a delete whose response was lost; by then the job no longer exists.
      const isAnnounced = `${isEnded.condition} AND attribute_not_exists(${unendedIndex.partitionKey})`
      const condition = `attribute_not_exists(org_id) OR (${isAnnounced})`
      const removeItem = () => writes.deleteIf(jobKeyItem(job), condition, isEnded.values)
      let removal = await removeItem()
      if (removal === 'superseded') {
        const end = await readEnd(client, table, job)
        if (end !== 'announced') return end ?? removal
        // The end was announced after the write was refused.
        removal = await removeItem()
      }
      await writes.deleteIf(shardsKeyItem(job), '#run = :run', { run: job.run })
      return removal
    },
  }
}

type Writes = ReturnType<typeof tableWrites>

function changeJob({ setIf }: Writes, job: JobRun, { from, fields, and = [], absent = {} }: JobChange) {
  const { condition, values } = isRunIn(job, from)
  return setIf(jobKeyItem(job), { fields, condition: [condition, ...and].join(' AND '), values, absent })
}

/** Changes while a job runs. */
function describeProgress(writes: Writes): Pick<Jobs, 'begin' | 'noteQuery' | 'noteAttempt' | 'touch'> {
  return {
    begin: (job, { contents, feeSchedules, nppesMonth }, at) => {
      const choice = writeFields({
        contents: contents && packContents(contents),
        foundPlans: feeSchedules && packPairs(feeSchedules),
        nppes: nppesMonth && writeFields(nppesMonth),
      })
      return changeJob(writes, job, {
        from: [...predecessorsOf('processing'), 'processing'],
        fields: { status: 'processing', touchedAt: at, ...choice },
        // About a processing job only: which states lead to this one is the table's decision.
        and: ['(#status <> :is_processing OR attribute_not_exists(contents))'],
        absent: { processingAt: at },
      })
    },

    noteQuery: (job, query, at) =>
      changeJob(writes, job, {
        from: ['processing'],
        fields: { runningQuery: writeFields(query), touchedAt: at },
        absent: { runningSince: at },
      }),

    noteAttempt: (job, ended, at) => {
      const { condition, values } = isRunIn(job, ['processing'])
      const change =
        'SET ended_attempts = list_append(if_not_exists(ended_attempts, :none), :ended), latest_ended = :attempt, touched_at = :at'
      const attempt = { none: [], ended: [writeFields(ended)], attempt: ended.attempt, at }
      return writes.updateIf(jobKeyItem(job), {
        change,
        condition: `${condition} AND (attribute_not_exists(latest_ended) OR latest_ended < :attempt)`,
        values: { ...values, ...attempt },
      })
    },

    touch: (job, at) => changeJob(writes, job, { from: ['queued', 'processing'], fields: { touchedAt: at } }),
  }
}

/** Changes that end a job, or follow its end. */
function describeEnds(writes: Writes): Pick<Jobs, 'complete' | 'fail' | 'noteAnnounced'> {
  return {
    complete: async (job, expiresAt) => {
      // Claim the job first: once it is completed, no other attempt may touch its shards.
      const from = predecessorsOf('completed')
      const isLatest = '(attribute_not_exists(attempt) OR attempt <= :attempt)'
      const completion = await changeJob(writes, job, { from, fields: { attempt: job.attempt }, and: [isLatest] })
      if (completion === 'superseded') return completion
      // Write the shards before the status, so that no reader sees a completed job without them. A superseded attempt
      // fails here or in the last write.
      const shards = await writes.putIf(
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
        ...(job.truncated !== undefined && { truncated: job.truncated }),
      }
      const fields = { ...result, ...ending('completed', job.completedAt, expiresAt) }
      return changeJob(writes, job, { from, fields, and: ['attempt = :attempt'] })
    },

    fail: (job, expiresAt) =>
      changeJob(writes, job, {
        from: predecessorsOf('failed'),
        fields: { failure: job.error, ...ending('failed', job.failedAt, expiresAt) },
      }),

    noteAnnounced: (job) => changeJob(writes, job, { from: terminalStatuses, fields: outOfIndex }),
  }
}

/** Returns the condition that an item is this run of a job, in one of these states. */
function isRunIn({ run }: JobRun, statuses: readonly JobStatus[]) {
  const condition = `#run = :run AND #status IN (${statuses.map((status) => `:is_${status}`).join(', ')})`
  return { condition, values: { run, ...Object.fromEntries(statuses.map((status) => [`is_${status}`, status])) } }
}

/** An announced job leaves the sparse index, so the sweeper no longer sees it. */
const outOfIndex = { [unendedIndex.partitionKey]: undefined, [unendedIndex.sortKey]: undefined }

/** Reads if the end of this run of a job was announced; undefined if it has not ended, or was removed. */
async function readEnd(
  client: DynamoDBDocumentClient,
  table: string,
  job: JobRun,
): Promise<'announced' | 'unannounced' | undefined> {
  const [item] = await readItems(client, table, [jobKeyItem(job)])
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
