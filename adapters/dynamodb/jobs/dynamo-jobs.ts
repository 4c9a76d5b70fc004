import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { JobRun, JobStatus, Shard } from '../../../core/job/job.ts'
import { isTerminal, predecessorsOf, terminalStatuses } from '../../../core/job/job.ts'
import type { Jobs } from '../../../core/job/ports.ts'
import { unendedIndex } from '../../../schema/tables.ts'
import type { Item } from '../dynamo-client.ts'
import { readItems } from '../dynamo-client.ts'
import { writeFields } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'
import { putNewJob } from './dynamo-job-creation.ts'
import { writeEndedAttempt } from './job-history-items.ts'
import { epochSeconds, findJob, jobKeyItem, parseJobHolder, shardsKeyItem, writeShards } from './job-items.ts'
import { packContents, packPairs } from './packed-contents.ts'
import { parseRequest, requestKeyItem, writeRequest } from './request-items.ts'
import { readWholeJob } from './whole-job.ts'

/**
 * Stores jobs in DynamoDB (`jobsTable` in schema/tables.ts). Every state change is conditional on the job's run and the
 * transition table, so late writers change nothing.
 */
export function createDynamoJobs(client: DynamoDBDocumentClient, TableName: string): Jobs {
  const { put, putIf, updateIf, deleteIf } = tableWrites(client, TableName)
  /** Updates a job if its run matches and its state is one of `from`. */
  const update = (job: JobRun, from: readonly JobStatus[], change: string, values: Item, condition = '') => {
    const is = isRunIn(job, from)
    return updateIf(jobKeyItem(job), change, {
      ...is,
      condition: `${is.condition}${condition}`,
      values: { ...is.values, ...values },
    })
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

    begin: (job, contents, at, feeSchedules, reference) => {
      const chosen = {
        contents: contents && packContents(contents),
        found_plans: feeSchedules && packPairs(feeSchedules),
        nppes: reference && writeFields(reference),
      }
      const given = Object.entries(chosen).filter(([, value]) => value !== undefined)
      const sets = given.map(([name]) => `, ${name} = :${name}`).join('')
      const change = `SET #status = :to, touched_at = :at, processing_at = if_not_exists(processing_at, :at)${sets}`
      const unchosen = ' AND attribute_not_exists(contents)'
      const values = {
        ':to': 'processing',
        ':at': at.toISOString(),
        ...Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
      }
      return update(job, [...predecessorsOf('processing'), 'processing'], change, values, unchosen)
    },

    noteQuery: (job, { queryId, attempt }, at) => {
      const values = { ':query': { query_id: queryId, attempt }, ':at': at.toISOString() }
      return update(
        job,
        ['processing'],
        'SET running_query = :query, touched_at = :at, running_since = if_not_exists(running_since, :at)',
        values,
      )
    },

    noteAttempt: (job, ended, at) => {
      const change =
        'SET ended_attempts = list_append(if_not_exists(ended_attempts, :none), :ended), latest_ended = :attempt, touched_at = :at'
      const later = ' AND (attribute_not_exists(latest_ended) OR latest_ended < :attempt)'
      const attempt = { ':none': [], ':ended': [writeEndedAttempt(ended)], ':attempt': ended.attempt }
      return update(job, ['processing'], change, { ...attempt, ':at': at.toISOString() }, later)
    },

    touch: (job, at) => update(job, ['queued', 'processing'], 'SET touched_at = :at', { ':at': at.toISOString() }),

    complete: async (job, expiresAt) => {
      // Claim the job first: once it is completed, no other attempt may touch its shards.
      const latest = ' AND (attribute_not_exists(attempt) OR attempt <= :attempt)'
      const attempt = { ':attempt': job.attempt }
      const from = predecessorsOf('completed')
      const claim = await update(job, from, 'SET attempt = :attempt', attempt, latest)
      if (claim === 'superseded') return claim
      // Write the shards before the status, so that no reader sees a completed job without them. A superseded attempt
      // fails here or in the last write.
      const shards = await putIf(writeShards(job, expiresAt), {
        // The later run wins: a step of a deleted run must not replace the shards of the next run.
        condition:
          'attribute_not_exists(org_id) OR (#run = :run AND attempt <= :attempt) OR (#run <> :run AND created_at < :created)',
        names: { '#run': 'run' },
        values: { ':run': job.run, ':created': job.createdAt.toISOString(), ...attempt },
      })
      if (shards === 'superseded') return shards
      const scanned = job.bytesScanned === undefined ? '' : ', bytes_scanned = :scanned'
      const change = `SET #status = :to, ended_at = :at, expires_at = :expires, result_rows = :rows, result_bytes = :bytes${scanned}, ${stayInIndex}`
      const values = {
        ...attempt,
        ...ending('completed', job.completedAt, expiresAt),
        ':rows': sumOf(job.shards, ({ rows }) => rows),
        ':bytes': sumOf(job.shards, ({ bytes }) => bytes),
        ...(job.bytesScanned !== undefined && { ':scanned': job.bytesScanned }),
      }
      return update(job, from, change, values, ' AND attempt = :attempt')
    },

    fail: (job, expiresAt) => {
      const change = `SET #status = :to, ended_at = :at, failure = :failure, expires_at = :expires, ${stayInIndex}`
      const values = { ':failure': job.error, ...ending('failed', job.failedAt, expiresAt) }
      return update(job, predecessorsOf('failed'), change, values)
    },

    noteAnnounced: (job) => update(job, terminalStatuses, leaveIndex, {}),

    remove: async (job) => {
      const ended = isRunIn(job, terminalStatuses)
      // The SDK retries a delete whose response was lost; by then the job no longer exists.
      const condition = `attribute_not_exists(org_id) OR (${ended.condition} AND attribute_not_exists(${unendedIndex.partitionKey}))`
      const removeItem = () => deleteIf(jobKeyItem(job), { ...ended, condition })
      let removal = await removeItem()
      if (removal === 'superseded') {
        const end = await readEnd(client, TableName, job)
        if (end !== 'announced') return end ?? removal
        // The end was announced after the write was refused.
        removal = await removeItem()
      }
      const isRun = { condition: '#run = :run', names: { '#run': 'run' }, values: { ':run': job.run } }
      await deleteIf(shardsKeyItem(job), isRun)
      return removal
    },
  }
}

/** This run of a job, in one of these states. */
function isRunIn({ run }: JobRun, statuses: readonly JobStatus[]) {
  const states = Object.fromEntries(statuses.map((status, index) => [`:state${index}`, status]))
  return {
    condition: `#run = :run AND #status IN (${Object.keys(states).join(', ')})`,
    names: { '#run': 'run', '#status': 'status' },
    values: { ':run': run, ...states },
  }
}

/** An ended job stays in the sparse index, as last touched at its end, until it is announced. */
const stayInIndex = `${unendedIndex.sortKey} = :at`

/** Removes an announced job from the sparse index, so the sweeper no longer sees it. */
const leaveIndex = `REMOVE ${unendedIndex.partitionKey}, ${unendedIndex.sortKey}`

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

function ending(to: JobStatus, endedAt: Date, expiresAt: Date): Item {
  return { ':to': to, ':at': endedAt.toISOString(), ':expires': epochSeconds(expiresAt) }
}
