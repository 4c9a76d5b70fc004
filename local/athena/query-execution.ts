import { manifestOf, type Query } from './queries.ts'
import { showS3Address } from './s3-address.ts'

/** A query as GetQueryExecution returns it. Source: Athena API, QueryExecution. Times are seconds since 1970. */
export function showQuery(query: Query): object {
  const { id, request, statement } = query
  const isUnload = statement.unload !== undefined
  const output = showS3Address(request.output)
  return {
    QueryExecutionId: id,
    Query: request.text,
    StatementType: 'DML',
    SubstatementType: isUnload ? 'UNLOAD' : 'SELECT',
    ResultConfiguration: { OutputLocation: `${output}${id}${isUnload ? '' : '.csv'}` },
    QueryExecutionContext: request.database === undefined ? {} : { Database: request.database },
    WorkGroup: request.workGroup,
    EngineVersion: { SelectedEngineVersion: 'AUTO', EffectiveEngineVersion: 'Athena engine version 3' },
    Status: showStatus(query),
    Statistics: showStatistics(query),
  }
}

function showStatus({ progress, submittedAt }: Query): object {
  const submission = { State: progress.state, SubmissionDateTime: seconds(submittedAt) }
  if (progress.state === 'QUEUED' || progress.state === 'RUNNING') return submission
  const ending = { ...submission, CompletionDateTime: seconds(progress.completedAt) }
  switch (progress.state) {
    case 'SUCCEEDED':
      return ending
    case 'CANCELLED':
      return { ...ending, StateChangeReason: progress.reason }
    case 'FAILED': {
      const { message, category, type } = progress.fault
      const error = { ErrorCategory: category, ErrorType: type, Retryable: category === 1, ErrorMessage: message }
      return { ...ending, StateChangeReason: message, AthenaError: error }
    }
  }
}

function showStatistics(query: Query): object {
  const { progress, submittedAt } = query
  return {
    ...(query.statement.unload !== undefined &&
      progress.state === 'SUCCEEDED' && { DataManifestLocation: showS3Address(manifestOf(query)) }),
    ...('completedAt' in progress && {
      EngineExecutionTimeInMillis: milliseconds(progress.startedAt ?? progress.completedAt, progress.completedAt),
      TotalExecutionTimeInMillis: milliseconds(submittedAt, progress.completedAt),
      DataScannedInBytes: progress.state === 'SUCCEEDED' ? progress.answer.scannedBytes : 0,
    }),
    ...('startedAt' in progress &&
      progress.startedAt && { QueryQueueTimeInMillis: milliseconds(submittedAt, progress.startedAt) }),
  }
}

const seconds = (time: Date) => time.getTime() / 1000

const milliseconds = (from: Date, to: Date) => to.getTime() - from.getTime()
