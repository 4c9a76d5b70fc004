import { collectRequestedLists, type FilterLists, valuesOf } from '../../contract/filters.ts'
import type { ManifestBody } from '../../contract/search-api.ts'
import { at } from '../../schema/at.ts'
import { type Column, trinoType } from '../../schema/columns/column.ts'
import { columnsKeyOf } from '../../schema/columns/shard-schema.ts'
import { resultColumns } from '../../schema/summary/result-columns.ts'
import type { PresentedKey } from '../access/api-key.ts'
import { describeReadFeeSchedules, type ReadFeeSchedules } from '../catalogue/resolving/read-fee-schedules.ts'
import type { CompletedJob, Job } from '../job/job.ts'
import type { EndedAttempt, JobHistory } from '../job/job-history.ts'
import type { Jobs } from '../job/ports.ts'
import { readRequest } from '../job/read-request.ts'
import { retainUntil } from '../job/retention.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { listWithoutRows } from '../search/without-rows.ts'
import { formatTimestamp } from '../time.ts'
import { type ReadCallersJob, readCallersJob } from './callers-job.ts'
import type { UrlSigner } from './ports.ts'
import { describeSummary } from './search-body.ts'
import { signShards } from './sign-shards.ts'

export interface GetManifest extends ReadCallersJob<RecordedJob>, ReadFeeSchedules {
  readonly jobs: Pick<Jobs, 'readRequest'>
  readonly signer: UrlSigner
}

type RecordedJob = Job & JobHistory

/**
 * Describes to the organization that owns a job what the job asked for and read and, once it has completed, its result.
 *
 * @throws Unauthorized, Forbidden, NotFound
 */
export async function getManifest(deps: GetManifest, key: PresentedKey, jobId: string): Promise<ManifestBody> {
  const job = await readCallersJob(deps, key, jobId, 'get-manifest')
  const request = await readRequest(deps, job)
  const base = {
    job_id: job.jobId,
    created_at: formatTimestamp(job.createdAt),
    ...(job.processingAt && { processing_at: formatTimestamp(job.processingAt) }),
    request: describeRequest(request),
    attempts: listAttempts(job).map(describeAttempt),
    fee_schedules: await describeReadFeeSchedules(
      deps,
      job.feeSchedules ?? request.feeSchedules,
      job.contents,
      request,
    ),
    nppes_month: job.nppesMonth?.month ?? null,
  }
  switch (job.status) {
    case 'queued':
    case 'processing':
      return { ...base, status: job.status }
    case 'failed':
      return { ...base, status: job.status, failed_at: formatTimestamp(job.failedAt), error: job.error }
    case 'completed':
      return {
        ...base,
        status: job.status,
        completed_at: formatTimestamp(job.completedAt),
        ...(await describeResult(deps, key, job, request)),
      }
  }
}

function describeRequest(request: SearchRequest): ManifestBody['request'] {
  const { feeSchedules, planIds = [], asOf, summary, columns, limit, maxBytes } = request
  const pairs = feeSchedules.map(({ payer, plan }) => ({ payer, plan }))
  return {
    ...describeFilters(request),
    fee_schedules: [...pairs, ...planIds.map((plan_id) => ({ plan_id }))],
    ...(asOf !== undefined && { as_of: asOf }),
    ...(columns && { columns }),
    ...(limit !== undefined && { limit }),
    ...(maxBytes !== undefined && { max_bytes: maxBytes }),
    ...describeSummary(summary),
  }
}

const describeFilters = (lists: FilterLists) => collectRequestedLists((filter) => valuesOf(lists, filter))

type ListedAttempt = Omit<EndedAttempt, 'outcome'> & { readonly outcome: EndedAttempt['outcome'] | 'cancelled' }

/** Adds the attempt that ended with the job, which was not recorded by a separate write. */
function listAttempts(job: RecordedJob): readonly ListedAttempt[] {
  const { endedAttempts } = job
  if (job.status === 'completed') {
    const { attempt, bytesScanned } = job
    const earlier = endedAttempts.filter((each) => each.attempt < attempt)
    return [...earlier, { attempt, outcome: 'succeeded', ...(bytesScanned !== undefined && { bytesScanned }) }]
  }
  if (job.status !== 'failed' || job.query === undefined) return endedAttempts
  const { attempt } = job.query
  const isRecorded = endedAttempts.some((each) => each.attempt >= attempt)
  return isRecorded ? endedAttempts : [...endedAttempts, { attempt, outcome: 'cancelled' }]
}

function describeAttempt({ attempt, outcome, bytesScanned }: ListedAttempt): ManifestBody['attempts'][number] {
  return { attempt, outcome, bytes_scanned: bytesScanned ?? null }
}

async function describeResult(
  { signer, retentionDays }: GetManifest,
  key: PresentedKey,
  job: CompletedJob,
  request: SearchRequest,
) {
  const columns = resultColumns(request)
  const { shardNames, urls, expiresAt } = await signShards(signer, key, job)
  const shards = job.shards.map(({ rows, bytes, checksum }, index) => ({
    name: at(shardNames, index).fileName,
    rows,
    bytes,
    checksum: checksum ?? null,
    url: at(urls, index),
  }))
  return {
    rows: shards.reduce((sum, { rows }) => sum + rows, 0),
    bytes: shards.reduce((sum, { bytes }) => sum + bytes, 0),
    truncated: job.truncated === true,
    without_rows: job.withoutRows ? describeFilters(listWithoutRows(request, job.withoutRows)) : null,
    columns: job.columnsKey === columnsKeyOf(columns) ? columns.map(describeColumn) : null,
    shards,
    expires_at: formatTimestamp(expiresAt),
    results_until: formatTimestamp(retainUntil(job.completedAt, retentionDays)),
  }
}

const describeColumn = ({ name, type }: Pick<Column, 'name' | 'type'>) => ({ name, type: trinoType(type) })
