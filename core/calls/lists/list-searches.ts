import { searchPages } from '../../../contract/limits.ts'
import { effectOf } from '../../../contract/routes.ts'
import type { Fault, SearchesBody, SearchListItemBody } from '../../../contract/search-api.ts'
import { showValue } from '../../../contract/texts/show-value.ts'
import { type Authorize, authorizeKey } from '../../access/access.ts'
import type { PresentedKey } from '../../access/api-key.ts'
import { InvalidRequest } from '../../errors.ts'
import { isJobId, type JobStatus, jobStatuses } from '../../job/job.ts'
import type { JobListItem, ListedJob } from '../../job/job-list.ts'
import type { JobList } from '../../job/ports.ts'
import { isPastRetention } from '../../job/retention.ts'
import { writeCursor } from '../../paging/cursor.ts'
import { type Parameters, readLimit, readPosition } from '../../paging/page-query.ts'
import type { NamedPlans } from '../../search/filter-words.ts'
import { formatTimestamp } from '../../time.ts'
import { describeSummary } from '../search-body.ts'

export interface ListSearches extends Authorize {
  readonly list: JobList
  readonly retentionDays: number
}

/**
 * Maximum number of jobs that a page examines: a filter that matches few must not read all of an organization's jobs.
 */
export const maxExamined = 1000

/** Jobs per read. Source: DynamoDB API, BatchGetItem, at most 100 keys. */
const readAtOnce = 100

interface Query {
  readonly status?: JobStatus
  readonly limit: number
  readonly after?: ListedJob
}

/**
 * Lists the jobs of an organization, newest first. With a status, a page can be short or empty and still have a next
 * one.
 *
 * @param parameters the query string: `status`, `limit`, `cursor`
 * @throws Unauthorized, Forbidden, InvalidRequest naming every fault
 */
export async function listSearches(
  deps: ListSearches,
  key: PresentedKey,
  parameters: Parameters,
): Promise<SearchesBody> {
  const { orgId } = await authorizeKey(deps, key, effectOf('list-searches'))
  const query = parseQuery(orgId, parameters)
  const { items, next } = await readPage(deps, orgId, query)
  const cursor = next && writeCursor(scopeOf(orgId, query), [next.createdAt.toISOString(), next.jobId])
  return { searches: items.map(describeListItem), next_cursor: cursor ?? null }
}

interface SearchPage {
  readonly items: readonly JobListItem[]
  /** The last job that was examined; absent if there are no more. */
  readonly next?: ListedJob
}

async function readPage(
  { list, retentionDays, now }: ListSearches,
  orgId: string,
  { status, limit, after }: Query,
): Promise<SearchPage> {
  const cutoff = now()
  const items: JobListItem[] = []
  let examined = 0
  let position = after
  while (examined < maxExamined) {
    // Without a filter nearly every job is shown, so no more are read than the page needs.
    const size = status === undefined ? limit - items.length : readAtOnce
    // One more than needed, to know whether there is a next page.
    const positions = await list.list(orgId, size + 1, position)
    const page = positions.slice(0, size)
    for (const job of await list.read(orgId, page)) {
      const isShown = (status === undefined || job.status === status) && !isPastRetention(job, retentionDays, cutoff)
      if (!isShown) continue
      items.push(job)
      if (items.length === limit) {
        const isLast = job.jobId === positions.at(-1)?.jobId
        return isLast ? { items } : { items, next: job }
      }
    }
    if (positions.length <= size) return { items }
    examined += page.length
    position = page.at(-1)
  }
  return { items, ...(position && { next: position }) }
}

function parseQuery(orgId: string, parameters: Parameters): Query {
  const faults: Fault[] = []
  const status = jobStatuses.find((each) => each === parameters['status'])
  if (parameters['status'] !== undefined && status === undefined) {
    const message = `must be ${jobStatuses.slice(0, -1).join(', ')} or ${jobStatuses.at(-1)}; got ${showValue(parameters['status'])}`
    faults.push({ path: 'status', message })
  }
  const limit = readLimit(parameters, searchPages, faults)
  const scope = scopeOf(orgId, { ...(status && { status }) })
  const after = readPosition(parameters, { scope, parse: parsePosition, shared: 'status' }, faults)
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { limit, ...(status && { status }), ...(after && { after }) }
}

const scopeOf = (orgId: string, { status }: Pick<Query, 'status'>) => ['searches', orgId, status ?? null]

function parsePosition([time = '', jobId = '', ...more]: readonly string[]): ListedJob | undefined {
  if (more.length > 0) return undefined
  const createdAt = new Date(time)
  const isTime = !Number.isNaN(createdAt.getTime()) && createdAt.toISOString() === time
  return isTime && isJobId(jobId) ? { createdAt, jobId } : undefined
}

const describeNamed = (named: NamedPlans) =>
  'planId' in named ? { plan_id: named.planId } : { payer: named.payer, plan: named.plan }

function describeListItem(job: JobListItem): SearchListItemBody {
  const { nextFeeSchedules: next } = job
  const base = {
    job_id: job.jobId,
    created_at: formatTimestamp(job.createdAt),
    fee_schedule_count: job.feeScheduleCount,
    first_fee_schedule: describeNamed(job.firstFeeSchedule),
    ...(next && { next_fee_schedules: next.map(describeNamed) }),
    ...(job.filters && { filters: job.filters }),
    ...(job.asOf !== undefined && { as_of: job.asOf }),
    ...describeSummary(job.summary),
  }
  switch (job.status) {
    case 'queued':
      return { ...base, status: job.status }
    case 'processing':
      return { ...base, status: job.status, processing_at: formatTimestamp(job.processingAt) }
    case 'completed':
      return {
        ...base,
        status: job.status,
        processing_at: formatTimestamp(job.processingAt),
        completed_at: formatTimestamp(job.completedAt),
        rows: job.rows,
        bytes: job.bytes,
        ...(job.truncated !== undefined && { truncated: job.truncated }),
      }
    case 'failed':
      return {
        ...base,
        status: job.status,
        ...(job.processingAt && { processing_at: formatTimestamp(job.processingAt) }),
        failed_at: formatTimestamp(job.failedAt),
        error: job.error,
      }
  }
}
