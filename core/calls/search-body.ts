import type { SearchBody } from '../../contract/search-api.ts'
import type { SummaryRequest } from '../../contract/summaries.ts'
import { isTerminal, type Job } from '../job/job.ts'
import { formatTimestamp } from '../time.ts'
import type { SignedUrls } from './ports.ts'

/** The `status_url` of a job. */
export function statusUrl(publicBaseUrl: string, jobId: string): string {
  return `${publicBaseUrl}/v1/searches/${jobId}`
}

/** The response body of a job without a result. */
export function describeSearch(job: Exclude<Job, { status: 'completed' }>, publicBaseUrl: string): SearchBody {
  const base = describeBase(job, publicBaseUrl)
  if (job.status === 'failed') return { ...base, status: job.status, error: job.error }
  return { ...base, status: job.status }
}

/** The response body of a completed job, with the URLs signed for this response. */
export function describeCompletedSearch(
  job: Extract<Job, { status: 'completed' }>,
  publicBaseUrl: string,
  { urls, expiresAt }: SignedUrls,
): SearchBody {
  return {
    ...describeBase(job, publicBaseUrl),
    status: job.status,
    completed_at: formatTimestamp(job.completedAt),
    download_urls: urls,
    expires_at: formatTimestamp(expiresAt),
    ...(job.truncated !== undefined && { truncated: job.truncated }),
  }
}

function describeBase({ jobId, createdAt, summary }: Job, publicBaseUrl: string) {
  return {
    job_id: jobId,
    created_at: formatTimestamp(createdAt),
    status_url: statusUrl(publicBaseUrl, jobId),
    ...describeSummary(summary),
  }
}

/** The field `summary` of an answer, which every answer about a summary has; nothing for a search for rows. */
export function describeSummary(summary: SummaryRequest | undefined) {
  if (summary === undefined) return {}
  const { weight, by, includeDoubtful, countProviders, first } = summary
  return {
    summary: {
      weight,
      by,
      ...(includeDoubtful && { include_doubtful: true }),
      ...(countProviders && { count_providers: true }),
      ...first,
    },
  }
}

/**
 * Whole seconds until the client should poll again: soon while the job is young, because most searches end within
 * seconds, then at the polling interval that the API recommends. Undefined once the job has ended.
 */
export function retryAfterSeconds(job: Pick<Job, 'status' | 'createdAt'>, now: Date): number | undefined {
  if (isTerminal(job.status)) return undefined
  return now.getTime() - job.createdAt.getTime() < 20_000 ? 2 : 15
}
