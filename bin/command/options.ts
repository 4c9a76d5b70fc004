import { type ParseArgsConfig, parseArgs } from 'node:util'
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
 * Chooses one of a program's commands by the first argument.
 *
 * @returns the command, its name and its arguments
 * @throws UsageError
 */
export function chooseCommand<Command>(
  commands: Readonly<Record<string, Command>>,
  [name = '', ...args]: readonly string[],
): { readonly command: Command; readonly name: string; readonly args: readonly string[] } {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined)
    throw new UsageError(`the command must be one of ${Object.keys(commands).join(', ')}, not "${name}"`)
  return { command, name, args }
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
