import { describe, expect, it } from 'vitest'
import { classifyFailure } from '../../../adapters/athena/athena-failures.ts'

describe('the classification of a failed query', () => {
  it.each([
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((type) => [type, 2, 'exhausted'] as const),
    [7, 1, 'exhausted'],
    [9, 2, 'permanent'],
    [100, 1, 'transient'],
    [206, 1, 'timed-out'],
    [207, 1, 'transient'],
    [210, 2, 'timed-out'],
    [1000, 2, 'permanent'],
    ...[1400, 1401, 1403, 1404, 1405, 1406, 1602].map((type) => [type, 2, 'throttled'] as const),
    [1402, 2, 'transient'],
    [1407, 2, 'permanent'],
  ] as const)('maps error type %i of category %i to %s', (ErrorType, ErrorCategory, fault) => {
    expect(classifyFailure('GENERIC', { ErrorType, ErrorCategory, Retryable: false })).toBe(fault)
  })

  it('calls an unknown type transient if Athena reports a system error or a retryable one', () => {
    expect(classifyFailure('', { Retryable: true })).toBe('transient')
    expect(classifyFailure('', { ErrorCategory: 1 })).toBe('transient')
    expect(classifyFailure('', { ErrorCategory: 2 })).toBe('permanent')
    expect(classifyFailure('', undefined)).toBe('permanent')
  })

  it.each([
    ['Query cancelled! : Bytes scanned limit was exceeded', 'data-limit'],
    ['HIVE_PATH_ALREADY_EXISTS: Target directory is not empty', 'leftovers'],
    ['Query exhausted resources at this scale factor', 'exhausted'],
    ['Query timeout', 'timed-out'],
    ['Query timed out', 'timed-out'],
    ['Query cancelled by user', 'permanent'],
    [
      'HIVE_CANNOT_OPEN_SPLIT: Error opening Hive split s3://b/k.parquet (offset=0, length=9): s3://b/k.parquet',
      'files-removed',
    ],
    ['HIVE_CANNOT_OPEN_SPLIT: Error opening Hive split s3://b/k (offset=0, length=9): Access Denied', 'permanent'],
    [
      'HIVE_FILE_NOT_FOUND: Manifest file from the location [s3://b/l] contains non-existent path: s3://b/k.parquet',
      'file-missing',
    ],
    [
      'HIVE_CURSOR_ERROR: com.amazonaws.services.s3.model.AmazonS3Exception: The specified key does not exist',
      'files-removed',
    ],
    [
      'HIVE_CANNOT_OPEN_SPLIT: Error opening Hive split s3://b/k (offset=0, length=9): (Error Code: NoSuchKey)',
      'files-removed',
    ],
  ] as const)('maps the reason "%s" without a type to %s', (reason, fault) => {
    expect(classifyFailure(reason, undefined)).toBe(fault)
  })

  it('prefers a known reason to the type', () => {
    expect(classifyFailure('HIVE_PATH_ALREADY_EXISTS: x', { ErrorType: 1000, ErrorCategory: 2 })).toBe('leftovers')
    expect(classifyFailure('Bytes scanned limit was exceeded', { ErrorType: 206, ErrorCategory: 1 })).toBe('data-limit')
  })
})
