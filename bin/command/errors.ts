import { UsageError } from '../../client/command-line/command-errors.ts'
import { PrintableError } from '../../schema/printable-error.ts'

/** Advice on an error, by its message. */
interface Hint {
  readonly pattern: RegExp
  readonly advice: () => string
}

/** An AWS endpoint that does not answer. */
const networkHint: Hint = {
  pattern: /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)\b/,
  advice: () => 'nothing answers there; check the network, the region and AWS_ENDPOINT_URL',
}

/** AWS SDK messages about missing, wrong or expired settings, each with what to do about it. */
const settingHints: readonly Hint[] = [
  { pattern: /^Region is missing$/, advice: () => 'set AWS_REGION, or a region in your AWS profile' },
  { pattern: /^Could not load credentials from any providers$/, advice: adviseCredentials },
  {
    pattern: /security token (included in the request )?is (expired|invalid)|token has expired/i,
    advice: () => 'log in again',
  },
]

/** The SDK does not say that it was told a profile: a name that is wrong looks like none. */
function adviseCredentials(): string {
  const profile = process.env['AWS_PROFILE']
  return profile
    ? `AWS_PROFILE is "${profile}", which does not exist or has no credentials: aws configure list-profiles shows the names; log in with aws sso login --profile ${profile}`
    : 'set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in with the AWS CLI'
}

/** An error in one line, as commands end with it. */
export const describeError = (error: unknown): string => `error: ${describeFault(error)}`

/** The fault of an error in one line: what went wrong, and what to do if that is known. Never a stack. */
export function describeFault(error: unknown): string {
  // The cleanup after a failure failed too: the first failure is the one to fix.
  if (error instanceof SuppressedError) return describeFault(error.suppressed)
  if (!(error instanceof Error)) return 'unknown'
  if (error instanceof UsageError) return `${error.message} (see --help)`
  const messages = findMessages(error)
  // The network hint is about AWS; a PrintableError may be about a payer's host.
  const hints = error instanceof PrintableError ? settingHints : [networkHint, ...settingHints]
  for (const { pattern, advice } of hints) {
    const match = messages.find((message) => pattern.test(message))
    if (match !== undefined) return `${match}: ${advice()}`
  }
  if (error instanceof PrintableError) return error.message
  const name = error.name === 'Error' ? [] : [error.name]
  return [...name, ...messages].join(': ')
}

/** The first lines of an error and its causes: libraries often put the real reason, such as a lock, into the cause. */
function findMessages(error: Error): readonly string[] {
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors.slice(0, 1) : [])]
  const related = causes.filter((cause) => cause instanceof Error)
  return [error, ...related].flatMap(({ message }) => message.split('\n', 1)).filter((message) => message !== '')
}
