import * as v from 'valibot'
import { status, truncated } from './search-progress.ts'
import { appliedSummary } from './summaries.ts'
import {
  address,
  completedAt,
  createdAt,
  describeObject,
  describeValue,
  exampleBaseUrl,
  expiresAt,
  failureText,
  jobId,
} from './values.ts'

const searchBase = {
  job_id: jobId,
  created_at: createdAt,
  status_url: describeValue(
    address,
    'Absolute address of this search.',
    `${exampleBaseUrl}/v1/searches/2a39443a-064f-4d78-b562-c11683209ccf`,
  ),
  summary: v.exactOptional(appliedSummary),
}

export const runningSearch = describeObject('A search that has not ended. Ask again after `Retry-After` seconds.', {
  ...searchBase,
  status: status.running,
})

export const completedSearch = describeObject('A search with its result: all files together, which share one schema.', {
  ...searchBase,
  status: describeValue(v.literal('completed'), 'The search has its result; this never changes.', 'completed'),
  completed_at: completedAt,
  download_urls: describeValue(
    v.pipe(v.array(address), v.minLength(1)),
    'One pre-signed URL for each Parquet file of the result, 1 to 1,000; each file has at most 1 GB. Download with GET and without an `Authorization` header. Signed anew for each answer: do not store them.',
    [
      'http://127.0.0.1:41873/rate-search-results/results/3xHu2rJuNZ3s/2a39443a-064f-4d78-b562-c11683209ccf/ca90742a479b411b/attempt-1/20261120_194509_00000_33a92_a2a6a8da?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-SignedHeaders=host',
    ],
  ),
  expires_at: expiresAt,
  truncated: v.exactOptional(truncated),
})

export const failedSearch = describeObject(
  'A search that failed. It is not retried: correct the cause and create another.',
  {
    ...searchBase,
    status: describeValue(v.literal('failed'), 'The search failed or was cancelled; this never changes.', 'failed'),
    error: failureText,
  },
)

export const search = v.pipe(
  v.variant('status', [runningSearch, completedSearch, failedSearch]),
  v.description('A search. Which fields it has depends on its `status`.'),
)
