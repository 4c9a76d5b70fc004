import { ApiError, ConnectionFailed, DownloadFailed, SearchFailed } from '../errors.ts'
import { CommandFailed, Interrupted, UsageError } from './usage-error.ts'

/** The outcome of a failed command. */
export interface Failure {
  readonly exitCode: 1 | 2 | 3 | 130
  /** Shown to the user, in one line or a few. */
  readonly message: string
}

/** The message and exit code of an error. Never a stack trace. */
export function describeFailure(error: unknown, command: string): Failure {
  if (error instanceof UsageError)
    return { exitCode: 2, message: `error: ${error.message} (see rate-search ${command} --help)`.replace('  ', ' ') }
  if (error instanceof SearchFailed) {
    const sentence = error.message.slice(error.reason.length).replace(/^: */, '')
    return { exitCode: 3, message: `The search failed: ${sentence || error.message} [${error.reason}]` }
  }
  if (error instanceof Interrupted) return { exitCode: 130, message: 'stopped; the same command goes on from here' }
  if (error instanceof ApiError) return { exitCode: 1, message: describeRefusal(error) }
  if (error instanceof ConnectionFailed)
    return {
      exitCode: 1,
      message: `error: ${error.message}; check RATE_SEARCH_URL and the network, then run this again`,
    }
  if (error instanceof DownloadFailed)
    return { exitCode: 1, message: `error: ${error.message}; the same command goes on from here` }
  if (error instanceof CommandFailed) return { exitCode: error.exitCode, message: `error: ${error.message}` }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { exitCode: 1, message: `error: ${text.split('\n')[0]}` }
}

function describeRefusal({ type, message, details, requestId }: ApiError): string {
  // The message already contains the first fault.
  const others = details.length < 2 ? [] : details.map((fault) => `  ${fault.path || 'body'}: ${fault.message}`)
  const hint = type === 'unauthorized' || type === 'forbidden' ? ' Check RATE_SEARCH_KEY.' : ''
  const quoted = type === 'internal_error' && requestId !== undefined ? ` (request ${requestId})` : ''
  return [`error: ${message}${hint}${quoted}`, ...others].join('\n')
}
