import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './errors.ts'

/** Options that take a text. */
export const texts = <const Name extends string>(...names: readonly Name[]) => optionsOf(names, { type: 'string' })

/** Options without a value. */
export const flags = <const Name extends string>(...names: readonly Name[]) => optionsOf(names, { type: 'boolean' })

function optionsOf<Name extends string, const Form>(names: readonly Name[], form: Form) {
  return Object.fromEntries(names.map((name) => [name, form])) as Readonly<Record<Name, Form>>
}

/** Where a command works, and whether it prints JSON. */
export const placeOptions = { ...texts('stage', 'data'), json: { type: 'boolean', default: false } } as const

/** The values of parsed options. */
export type OptionValues<Options extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values']

/** @throws UsageError with a one-line message */
export function readOptions<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : 'wrong arguments')
  }
}

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
