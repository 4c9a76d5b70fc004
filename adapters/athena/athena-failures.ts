import type { AthenaError } from '@aws-sdk/client-athena'
import type { QueryFault } from '../../core/search/ports.ts'

/** Faults by Athena's `ErrorType`. Source: Athena User Guide, "Athena error catalog". */
const faultTypes: readonly (readonly [fault: QueryFault, types: readonly number[]])[] = [
  ['exhausted', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['timed-out', [206, 210]],
  // Glue, S3 or Athena throttled the query; 1602: a capacity reservation has no room.
  ['throttled', [1400, 1401, 1403, 1404, 1405, 1406, 1602]],
  // Too many versions of a Glue table, which waiting does not fix: retry only once.
  ['transient', [1402]],
]

/**
 * Faults recognized by Athena's reason text; they take precedence over the error type. The documentation does not say
 * whether a query that hits a limit ends as FAILED or CANCELLED, nor with which error.
 */
const faultReasons: readonly (readonly [fault: QueryFault, reason: RegExp])[] = [
  ['data-limit', /bytes scanned limit/i],
  ['leftovers', /HIVE_PATH_ALREADY_EXISTS/],
  ['exhausted', /^query exhausted resources/i],
  ['timed-out', /^query time(out|d out)/i],
  // `clean` removed a file of other fee schedules after its folder was listed. Source of the sentence: Athena User
  // Guide, "Troubleshoot issues in Athena", HIVE_CURSOR_ERROR. Trino 476 repeats the bare address instead.
  // A list names a file that does not exist. Source: Trino, `BackgroundHiveSplitLoader`.
  ['file-missing', /HIVE_FILE_NOT_FOUND/],
  ['files-removed', /specified key does not exist|NoSuchKey/i],
  ['files-removed', /HIVE_CANNOT_OPEN_SPLIT: Error opening Hive split (\S+) .*: (\1$|.*not (exist|found))/i],
]

/** Classifies a failed query from Athena's reason and error. */
export function classifyFailure(reason: string, error: AthenaError | undefined): QueryFault {
  const byReason = faultReasons.find(([, pattern]) => pattern.test(reason))
  if (byReason !== undefined) return byReason[0]
  const { ErrorType: type, ErrorCategory: category, Retryable: isRetryable } = error ?? {}
  const byType = faultTypes.find(([, types]) => type !== undefined && types.includes(type))
  if (byType !== undefined) return byType[0]
  // Category 1 is a system error. Source: Athena API, AthenaError.
  return isRetryable === true || category === 1 ? 'transient' : 'permanent'
}
