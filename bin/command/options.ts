import type { ParseArgsConfig } from 'node:util'
import { UsageError } from '../../client/command-line/command-errors.ts'
import { readBytes, readNumber, readOptions, texts } from '../../client/command-line/parse-options.ts'

/** Where a command works, and whether it prints JSON. */
export const installationOptions = { ...texts('stage', 'data'), json: { type: 'boolean', default: false } } as const

/**
 * Reads the options of a program, and chooses one of its commands by the first argument.
 *
 * @throws UsageError
 */
export function readCommand<Command, const Options extends NonNullable<ParseArgsConfig['options']>>(
  commands: Readonly<Record<string, Command>>,
  options: Options,
) {
  const { values, positionals } = readOptions({ allowPositionals: true, options })
  return { values, ...chooseCommand(commands, positionals) }
}

/** @returns the command, its name and its arguments */
export function chooseCommand<Command>(
  commands: Readonly<Record<string, Command>>,
  [name = '', ...args]: readonly string[],
) {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined)
    throw new UsageError(`the command must be one of ${Object.keys(commands).join(', ')}, not "${name}"`)
  return { command, name, args }
}

/** Reads a port. */
export const readPort = (text: string): number => readNumber('--port', text, 0, 65_535)

/** The least memory with which DuckDB answers searches of the samples, in bytes. */
const leastMemory = 250_000_000

/**
 * Reads the memory of the local Athena.
 *
 * @throws UsageError
 */
export function readMemory({ memory }: { readonly memory?: string | undefined }): { readonly memoryBytes?: number } {
  if (memory === undefined) return {}
  const memoryBytes = readBytes('--memory', memory)
  if (memoryBytes >= leastMemory) return { memoryBytes }
  throw new UsageError(`--memory must be at least ${leastMemory / 1e6}MB, not "${memory}"`)
}
