import * as v from 'valibot'
import { type CheckedFilter, type FilterName, filterOf } from '../../filters.ts'
import { askedFeeSchedule, lastUpdatedOn, namedFeeSchedule } from '../fee-schedules.ts'
import { askedProviders, npi, readingLimit, resultParts, searchFilters } from '../requests/search-request.ts'
import { failedAt, processingAt, resultBytes, resultRows, status } from '../search-progress.ts'
import { appliedSummary } from '../summaries.ts'
import {
  address,
  completedAt,
  count,
  createdAt,
  describeObject,
  describeValue,
  expiresAt,
  failureText,
  jobId,
  ordinal,
  timestamp,
} from '../values.ts'

/** Source: Amazon S3 API reference, "HeadObject", x-amz-checksum-type and the checksum headers. */
export const checksum = describeObject('Checksum of a file.', {
  algorithm: describeValue(
    v.picklist(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']),
    'The algorithm, in the words of Amazon S3.',
    'CRC64NVME',
  ),
  type: describeValue(
    v.picklist(['FULL_OBJECT', 'COMPOSITE']),
    'The kind of checksum: that of the whole file, or one made of the checksums of the parts that it was uploaded in.',
    'FULL_OBJECT',
  ),
  value: describeValue(v.string(), 'The checksum in base64, as Amazon S3 computed it.', 'rosUhgp5mIg='),
})

export const manifestShard = describeObject('One file of a result.', {
  name: describeValue(
    v.string(),
    'Name of the file, the same in every answer: letters, digits, `.`, `_` and `-`, ending in `.parquet`.',
    '2a39443a-064f-4d78-b562-c11683209ccf-0001.parquet',
  ),
  rows: describeValue(count, 'Rows of this file.', 16),
  bytes: describeValue(count, 'Size of this file in bytes, at most 1 GB.', 21_734),
  checksum: v.pipe(v.nullable(checksum), v.description('Checksum of this file; null if the storage has none.')),
  url: describeValue(
    address,
    'Pre-signed URL, as in `download_urls`.',
    'http://127.0.0.1:41873/rate-search-results/results/3xHu2rJuNZ3s/2a39443a-064f-4d78-b562-c11683209ccf/ca90742a479b411b/attempt-1/20261120_194509_00000_33a92_a2a6a8da?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-SignedHeaders=host',
  ),
})

export const manifestAttempt = describeObject('A query of the search that has ended.', {
  attempt: describeValue(ordinal, 'Number of the attempt, from 1.', 1),
  outcome: describeValue(
    v.picklist(['succeeded', 'failed', 'cancelled']),
    'The end of its query; `cancelled` if the search failed before that was known, which stops a query that still runs.',
    'succeeded',
  ),
  bytes_scanned: describeValue(
    v.nullable(count),
    'Bytes that its query read, by which Athena bills; null if that is not known.',
    10_485_760,
  ),
})

export const manifestFeeSchedule = describeObject('A fee schedule as the search reads it.', {
  ...namedFeeSchedule.entries,
  loaded_at: describeValue(
    v.nullable(timestamp),
    'When the rates that the search reads were loaded; null over an own relation of the operator, and once they have been replaced and removed.',
    '2026-11-18T04:12:44.000+00:00',
  ),
  last_updated_on: lastUpdatedOn,
  partial: describeValue(
    v.nullable(v.boolean()),
    'True if some of the files that the payer lists for this plan were missing when it was loaded; null when `loaded_at` is.',
    false,
  ),
  without_descriptions: describeValue(
    v.nullable(v.boolean()),
    'True if `name` and `description` are null because they were left out when some of its files were loaded; null when `loaded_at` is.',
    false,
  ),
  superseded: describeValue(
    v.nullable(v.boolean()),
    'True once a new search would read other rates of this plan, or the plan was removed; null over an own relation of the operator.',
    false,
  ),
  file_count: describeValue(
    v.nullable(count),
    'Number of published files that they come from; null when `loaded_at` is.',
    1,
  ),
  plan_id_count: describeValue(
    v.nullable(count),
    'Number of ids that were published for this plan; null over an own relation of the operator, and once the plan has other rates than the search read.',
    1,
  ),
  plan_ids: describeValue(
    v.nullable(v.array(v.string())),
    'All of these ids; null when `plan_id_count` is, and for plans with which the manifest would have more than 20,000.',
    ['hios|0412345678'],
  ),
})

export const resultColumn = describeObject('A column of the result.', {
  name: describeValue(v.string(), 'Name of the column.', 'negotiated_rate'),
  type: describeValue(v.string(), 'Its type, as Trino writes it.', 'decimal(18,4)'),
})

/** Allows unknown fields, so that new ones do not break clients. */
export const appliedRequest = describeObject('The request as applied: normalised, sorted, without duplicates.', {
  ...searchFilters,
  ...resultParts,
  ...readingLimit,
  providers: v.exactOptional(askedProviders),
  summary: v.exactOptional(appliedSummary),
  fee_schedules: v.pipe(v.array(askedFeeSchedule), v.description('The fee schedules that it names.')),
})

/** The values of a filter that no row has. */
const absentValues = <const Item extends v.GenericSchema>(filter: FilterName, item: Item) => {
  const [, several] = filterOf(filter).nouns
  return v.exactOptional(v.pipe(v.array(item), v.description(`${several.replace(/^b/, 'B')} that no row has.`)))
}

/** The filters that are checked for rows. */
export const withoutRows = describeObject('The values of each list of the request that no row of the result has.', {
  npis: absentValues('npis', npi),
  tins: absentValues('tins', v.string()),
  billing_codes: absentValues('billing_codes', v.string()),
} satisfies Readonly<Record<CheckedFilter, v.GenericSchema>>)

const nppesMonth = describeValue(
  v.nullable(v.string()),
  'Month of the NPPES file with the names and places of providers that the search reads beside the rates; null if none was loaded, and until the search has chosen it.',
  '2026-11',
)

const manifestBase = {
  job_id: jobId,
  created_at: createdAt,
  processing_at: v.exactOptional(processingAt),
  request: appliedRequest,
  attempts: v.pipe(v.array(manifestAttempt), v.description('The attempts that have ended, in order.')),
  fee_schedules: v.pipe(
    v.array(manifestFeeSchedule),
    v.description('The fee schedules as the search reads them; empty until it has chosen them.'),
  ),
  nppes_month: nppesMonth,
}

export const runningManifest = describeObject(
  'The request of a search that has not ended, and the rates that it reads.',
  {
    ...manifestBase,
    status: status.running,
  },
)

export const completedManifest = describeObject(
  'The request of a completed search, the rates that it read, and its result.',
  {
    ...manifestBase,
    status: status.completed,
    completed_at: completedAt,
    rows: resultRows,
    bytes: resultBytes,
    truncated: describeValue(
      v.boolean(),
      'True if the search has more rows than its `limit`, so that the files have only some of them; false if they have every row.',
      false,
    ),
    without_rows: v.pipe(
      v.nullable(withoutRows),
      v.description(
        'For each of the lists `npis`, `tins` and `billing_codes` of `request`, its values that no row of the result has, in the same form and order; null if that is not known, as for a truncated result.',
      ),
    ),
    columns: v.pipe(
      v.nullable(v.pipe(v.array(resultColumn), v.minLength(1))),
      v.description('The columns of every file, in order; null if they have changed since the search completed.'),
    ),
    shards: v.pipe(v.array(manifestShard), v.minLength(1), v.description('The files of the result, in order.')),
    expires_at: expiresAt,
    results_until: describeValue(
      timestamp,
      'Until when the search and its files are kept.',
      '2026-11-27T19:45:09.431+00:00',
    ),
  },
)

export const failedManifest = describeObject('The request of a search that failed, and the rates that it read.', {
  ...manifestBase,
  status: status.failed,
  failed_at: failedAt,
  error: failureText,
})

export const manifest = v.pipe(
  v.variant('status', [runningManifest, completedManifest, failedManifest]),
  v.description('The request of a search and the rates that it read. Its fields depend on its `status`.'),
)
