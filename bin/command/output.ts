import { printable } from '../../client/command-line/printable.ts'
import { formatTimestamp } from '../../core/time.ts'
import { repeatInstallation } from './cli-arguments.ts'
import { describeInstallation, type Installation, installationFacts } from './installation.ts'

/** The result of a command. */
export interface Answer {
  /** Printed by `--json`: names become snake_case, dates become timestamps in the API's format. */
  readonly facts: Readonly<Record<string, unknown>>
  /** The same facts for people, without a trailing line break. */
  readonly text: string
  /** True if the command changed something. */
  readonly wrote: boolean
}

/**
 * Prints an answer: its text on standard output and its installation on standard error, or both as one line of JSON on
 * standard output.
 */
export function printAnswer({ facts, text, wrote }: Answer, installation: Installation, asJson: boolean): void {
  if (asJson) {
    printFacts({ ...installationFacts(installation), ...facts })
    return
  }
  process.stdout.write(`${repeatInstallation(text)}\n`)
  process.stderr.write(`${wrote ? 'Written to' : 'Read from'} ${describeInstallation(installation)}\n`)
}

/** Prints facts as one line of JSON on standard output. */
export function printFacts(facts: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${toJsonLine(facts)}\n`)
}

/** Formats facts as one line of JSON, with escapes for characters that control a terminal or the direction of text. */
export const toJsonLine = (facts: Readonly<Record<string, unknown>>): string => printable(JSON.stringify(toJson(facts)))

/** Converts a value to the API's style: names in snake_case, dates as timestamps, undefined left out. */
export function toJson(value: unknown): unknown {
  if (value instanceof Date) return formatTimestamp(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [toSnakeCase(name), toJson(part)]))
}

/** Names that are not camelCase identifiers are data, such as the name of a rule, and stay unchanged. */
const toSnakeCase = (name: string) =>
  /^[a-z][a-zA-Z0-9]*$/.test(name) ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name

/** The help text of `--json`, for commands that print facts. */
export const jsonOption = '--json           print one line of JSON'
