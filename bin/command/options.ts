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
 * Reads a whole number.
 *
 * @throws UsageError
 */
export function readNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${option} must be a number from ${least} to ${most}, not "${text}"`)
}

/** Reads a port. */
export const readPort = (text: string): number => readNumber('--port', text, 0, 65_535)
