import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './command-errors.ts'

/** Options of every command line of the repository: `rate-search` and the commands of operators. */

/** Options that take a text. */
export const texts = <const Name extends string>(...names: readonly Name[]) => optionsOf(names, { type: 'string' })

/** Options without a value. */
export const flags = <const Name extends string>(...names: readonly Name[]) => optionsOf(names, { type: 'boolean' })

/** Options of one form. */
export function optionsOf<const Name extends string, const Form>(names: readonly Name[], form: Form) {
  return Object.fromEntries(names.map((name) => [name, form])) as Readonly<Record<Name, Form>>
}

/** The values of parsed options. */
export type OptionValues<Options extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values']

/** @throws UsageError with a one-line message */
export function readOptions<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  refuseBrokenNames(config.args ?? process.argv.slice(2))
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const [sentence = error.message] = error.message.split('. ')
    throw new UsageError(sentence)
  }
}

/**
 * Refuses names of files that are not UTF-8. Node replaces their bytes by U+FFFD, so that no path leads to the file,
 * and a command that writes would create another one. A name that really has this character is taken if it exists.
 *
 * @throws UsageError
 */
function refuseBrokenNames(args: readonly string[]): void {
  const brokenNames = args.filter((arg) => hasBrokenName(arg.replace(/^--[^=]*=/, '')))
  if (brokenNames.length === 0) return
  const names = brokenNames.map((name) => JSON.stringify(name)).join(', ')
  throw new UsageError(`${names}: the bytes shown as \uFFFD are not UTF-8; rename the file or folder`)
}

/** True if the last names of a path, which do not exist, have the character that stands for bytes. */
function hasBrokenName(path: string): boolean {
  if (!path.includes('\uFFFD') || existsSync(path)) return false
  return basename(path).includes('\uFFFD') || hasBrokenName(dirname(path))
}

/**
 * Reads a whole number.
 *
 * @throws UsageError
 */
export function readNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${option} must be a whole number from ${least} to ${most}, not "${text}"`)
}

/**
 * Reads a number of bytes: 500000000, 500MB, 20GB, 1TB.
 *
 * @param option the option that has it, for the message
 * @param word another value that the option may have, for the message
 * @throws UsageError
 */
export function readBytes(option: string, text: string, word?: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,15}) ?([kMGT]?)B?$/i.exec(text) ?? []
  const bytes = Number(digits) * 1000 ** ' kmgt'.indexOf(unit.toLowerCase() || ' ')
  if (digits !== '' && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes
  const alternative = word === undefined ? '' : `, or "${word}"`
  throw new UsageError(`${option} must be a number of bytes such as 500000000 or 20GB${alternative}, not "${text}"`)
}
