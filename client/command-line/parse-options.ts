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
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const [sentence = error.message] = error.message.split('. ')
    throw new UsageError(sentence)
  }
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
