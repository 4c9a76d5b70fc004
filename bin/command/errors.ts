/** The command line is not what the command takes; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command could not do what it was asked for; exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/** Errors whose message is complete for its reader. Any other error is printed with its name, as a fault of ours. */
const plainErrors = new Set([
  'CommandFailed',
  'PortInUse',
  'FolderInUse',
  'StorageUnusable',
  'LoadRefused',
  'PartitionsNotChanged',
  'SwitchContended',
  'FeeScheduleUnknown',
  'ApiError',
  'DownloadFailed',
  'RelationUnread',
  'RoleNotAssumed',
  'QueryNotStarted',
  'UnknownStage',
])

/** What the AWS SDK says when a setting of its own is missing or dead, and what to do about it. */
const sdkHints: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  { pattern: /^Region is missing$/, advice: 'set AWS_REGION, or a region in your AWS profile' },
  {
    pattern: /^Could not load credentials from any providers$/,
    advice: 'set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in with the AWS CLI',
  },
  {
    pattern: /security token (included in the request )?is (expired|invalid)|token has expired/i,
    advice: 'log in again',
  },
]

/** An error in one line: what went wrong, and what to do if that is known. Never a stack. */
export function describeError(error: unknown): string {
  // Clearing up after a failure has failed as well: the first failure is the one to fix.
  if (error instanceof SuppressedError) return describeError(error.suppressed)
  if (!(error instanceof Error)) return 'error: unknown'
  if (error.name === 'UsageError') return `error: ${error.message} (see --help)`
  const messages = findMessages(error)
  for (const { pattern, advice } of sdkHints) {
    const said = messages.find((message) => pattern.test(message))
    if (said !== undefined) return `error: ${said}: ${advice}`
  }
  if (plainErrors.has(error.name)) return `error: ${error.message}`
  return `error: ${[error.name, ...messages].join(': ')}`
}

/** The first lines of an error and of what caused it: libraries say there that a store is locked, or nobody listens. */
function findMessages(error: Error): readonly string[] {
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors.slice(0, 1) : [])]
  const related = causes.filter((cause) => cause instanceof Error)
  return [error, ...related].map(({ message }) => message.split('\n')[0] ?? '').filter((message) => message !== '')
}
