import type { ParseArgsConfig } from 'node:util'
import { writtenJobId } from '../../contract/limits.ts'
import { UsageError } from '../command-line/command-errors.ts'
import { readOptions } from '../command-line/parse-options.ts'
import type { World } from '../command-line/world.ts'
import { RateSearchClient } from '../rate-search-client.ts'
import type { ClientOptions } from '../transport.ts'

/** Options that every command takes. */
const sharedOptions = {
  url: { type: 'string' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', short: 'q', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies ParseArgsConfig['options']

/**
 * Reads the arguments of a command with the shared options and its own.
 *
 * @throws UsageError in one line
 */
export function readArguments<const CommandOptions extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  commandOptions: CommandOptions,
  allowPositionals = false,
) {
  try {
    return readOptions({ args, options: { ...sharedOptions, ...commandOptions }, allowPositionals, tokens: true })
  } catch (error) {
    const isKey = error instanceof UsageError && /'--(api-)?key'/.test(error.message)
    throw isKey ? new UsageError('a key is never an argument, which others can see: set RATE_SEARCH_KEY') : error
  }
}

/** Reads the single job id of the arguments. */
export function readJobId(positionals: readonly string[]): string {
  const [jobId, ...others] = positionals
  if (jobId === undefined || others.length > 0) throw new UsageError('give the id of one search')
  const writtenId = jobId.toLowerCase()
  if (!writtenJobId.test(writtenId)) throw new UsageError(`the id of a search is a UUID, not "${jobId}"`)
  return writtenId
}

/** Reads words, which may be one argument or several. */
export const readWords = (positionals: readonly string[]): string => positionals.join(' ').trim()

/** The address of a service and an API key. */
export interface Access {
  readonly url: string
  readonly key: string
}

/** @throws UsageError that names the variable to set */
export function readAccess({ environment }: World, url = environment['RATE_SEARCH_URL']): Access {
  const key = environment['RATE_SEARCH_KEY']
  if (!url) throw new UsageError('set RATE_SEARCH_URL to the address of the service, or give --url')
  if (!key) throw new UsageError('set RATE_SEARCH_KEY to the API key of your organization')
  return { url, key }
}

export function connect(
  access: Access,
  options: Pick<ClientOptions, 'retries' | 'timeoutSeconds' | 'onRetry'> = {},
): RateSearchClient {
  try {
    return new RateSearchClient({ ...access, ...options })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
