import type { ParseArgsConfig } from 'node:util'
import { parseArgs } from 'node:util'
import { UsageError } from './errors.ts'

/** @throws UsageError with a one-line message */
export function readOptions<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : 'wrong arguments')
  }
}

/**
 * Reads a port from the command line: 0 to 65535.
 *
 * @throws UsageError
 */
export function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}"`)
}
