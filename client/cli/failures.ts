import { CommandFailed, Interrupted, UsageError } from '../command-line/command-errors.ts'
import { printable } from '../command-line/printable.ts'
import { ApiError, ConnectionFailed, DownloadFailed, SearchFailed, Unreachable } from '../errors.ts'

/** The outcome of a failed command. */
export interface Failure {
  readonly exitCode: 1 | 2 | 3 | 130
  /** A word that programs can branch on: the service's own if it has one. */
  readonly type: string
  /** Shown to the user, in one line or a few. */
  readonly message: string
}

/** The message and exit code of an error. Never a stack trace. */
export function describeFailure(error: unknown, command: string): Failure {
  const message = error instanceof Error ? forCommandLine(error.message) : String(error)
  if (error instanceof UsageError) {
    const help = `rate-search ${command} --help`.replace('  ', ' ')
    return { exitCode: 2, type: 'wrong_arguments', message: `error: ${message} (see ${help})` }
  }
  if (error instanceof SearchFailed) {
    const reason = printable(error.reason)
    const sentence = message.slice(reason.length).replace(/^: */, '') || message
    return { exitCode: 3, type: error.reason, message: `The search failed: ${sentence} [${reason}]` }
  }
  if (error instanceof Interrupted) {
    const next = ['search', 'download'].includes(command) ? '; run the same command again to resume' : ''
    return { exitCode: 130, type: 'interrupted', message: `stopped${next}` }
  }
  if (error instanceof ApiError) {
    const exitCode = error.type === 'invalid_request' || error.type === 'payload_too_large' ? 2 : 1
    return { exitCode, type: error.type, message: describeRefusal(error, message) }
  }
  if (error instanceof ConnectionFailed) {
    const isExplained = error.cause instanceof Unreachable
    const advice = isExplained ? '' : '; check RATE_SEARCH_URL and the network, then run the command again'
    return { exitCode: 1, type: 'connection_failed', message: `error: ${message}${advice}` }
  }
  if (error instanceof DownloadFailed)
    return { exitCode: 1, type: 'download_failed', message: `error: ${message}; run the same command again to resume` }
  if (error instanceof CommandFailed)
    return { exitCode: error.exitCode, type: 'command_failed', message: `error: ${message}` }
  const name = error instanceof Error ? `${error.name}: ` : ''
  return { exitCode: 1, type: 'unexpected', message: `error: ${name}${message}` }
}

/** Replaces the HTTP path in a message of the service by the command that makes the same call. */
const forCommandLine = (message: string) =>
  printable(message.replace(/GET \/v1\/fee-schedules(\?payer=\S*[^\s.])?/g, 'rate-search fee-schedules'))

function describeRefusal({ type, details, requestId }: ApiError, message: string): string {
  // The message already contains the first fault.
  const faultLines =
    details.length < 2 ? [] : details.map((fault) => printable(`  ${fault.path || 'body'}: ${fault.message}`))
  const hint = type === 'unauthorized' || type === 'forbidden' ? ' Check RATE_SEARCH_KEY.' : ''
  const quoted = type === 'internal_error' && requestId !== undefined ? ` (request ${printable(requestId)})` : ''
  return [`error: ${message}${hint}${quoted}`, ...faultLines].join('\n')
}
