import { UsageError } from '../command-line/command-errors.ts'
import type { World } from '../command-line/world.ts'
import type { Command } from './command.ts'
import { csvCommand } from './commands/csv-command.ts'
import { diffCommand } from './commands/diff-command.ts'
import { estimateCommand } from './commands/estimate-command.ts'
import { feeSchedulesCommand } from './commands/fee-schedules-command.ts'
import { cancelCommand, deleteCommand, downloadCommand, statusCommand } from './commands/job-commands.ts'
import { listCommand } from './commands/list-command.ts'
import { manifestCommand } from './commands/manifest-command.ts'
import { mcpCommand } from './commands/mcp-command.ts'
import { providersCommand } from './commands/providers-command.ts'
import { rowsCommand } from './commands/rows-command.ts'
import { searchCommand } from './commands/search-command.ts'
import { summaryCommand } from './commands/summary-command.ts'
import { billingCodesCommand, specialtiesCommand } from './commands/vocabulary-commands.ts'
import { describeFailure } from './failures.ts'

export const commands: readonly Command[] = [
  searchCommand,
  summaryCommand,
  statusCommand,
  listCommand,
  manifestCommand,
  rowsCommand,
  downloadCommand,
  csvCommand,
  diffCommand,
  cancelCommand,
  deleteCommand,
  estimateCommand,
  feeSchedulesCommand,
  billingCodesCommand,
  specialtiesCommand,
  providersCommand,
  mcpCommand,
]

/** Commands of the last release that are gone, and what to do in place of each. The next release forgets them. */
const removedCommands: ReadonlyMap<string, string> = new Map([
  ['completion', 'remove its line from the start-up file of your shell, or the file that it printed'],
])

const overview = `
Searches healthcare reimbursement rates and downloads them as Parquet files.

Usage: rate-search <command> [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(15)} ${summary}`).join('\n')}

rate-search <command> --help explains a command, with examples. RATE_SEARCH_URL and RATE_SEARCH_KEY name the service and
the API key of your organization.

  export RATE_SEARCH_URL=http://127.0.0.1:3000 RATE_SEARCH_KEY=…
  rate-search fee-schedules
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code 99213 --out rates/
`

/**
 * Runs the command line.
 *
 * @param version of the package
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], world: World, version: string): Promise<number> {
  const [name = '', ...rest] = args
  const { output, errors, signal, environment } = world
  // Messages then name the npm script, which is how the user started the command.
  const isOfNpm = ['search', 'rate-search'].includes(environment['npm_lifecycle_event'] ?? '')
  const nameCommand = (text: string) =>
    isOfNpm ? text.replace(/(?<!mcp add )\brate-search (?=[-a-z<])/g, 'npm run rate-search --silent -- ') : text
  try {
    if (isOfNpm && Object.keys(environment).some((key) => npmOptions.has(key)))
      throw new UsageError('npm took the options for itself: write -- before them, as in npm run search -- --payer …')
    const successor = removedCommands.get(name)
    if (successor !== undefined) throw new UsageError(`the command "${name}" was removed: ${successor}`)
    const command = commands.find((each) => each.name === name)
    const isHelp = args.includes('--help') || args.includes('-h') || ['', 'help'].includes(name)
    if (name === '--version') output.write(`${version}\n`)
    else if (isHelp) output.write(`${nameCommand((command?.usage ?? overview).trim())}\n`)
    else if (command === undefined) throw new UsageError(`there is no command "${name}"${suggest(name)}`)
    else await command.run(rest, world, version)
    return 0
  } catch (error) {
    // Errors after Ctrl-C are caused by it.
    const { message, type, exitCode } = describeFailure(
      signal.aborted ? signal.reason : error,
      commands.some((each) => each.name === name) ? name : '',
    )
    const facts = { error: { type, message: nameCommand(message).replace(/^error: /, ''), exit_code: exitCode } }
    errors.write(args.includes('--json') ? `${JSON.stringify(facts)}\n` : `${nameCommand(message)}\n`)
    return exitCode
  }
}

/** Returns the options that a help text explains or shows. */
const optionsIn = (usage: string): readonly string[] => [...new Set(usage.match(/(?<=^ .*)--[a-z-]+/gm))]

/** Environment variables that npm sets for options that are passed to it without `--`. */
const npmOptions = new Set(
  commands
    .flatMap(({ usage }) => optionsIn(usage))
    .map((option) => `npm_config_${option.replace(/^--(no-)?/, '').replaceAll('-', '_')}`),
)

/** Suggests the command that the user may have meant: its letters differ in at most two. */
function suggest(word: string): string {
  const missingLetters = (a: string, b: string) =>
    [...b].reduce((letters, letter) => letters.replace(letter, ''), a).length
  const match = commands.find(({ name }) => missingLetters(name, word) + missingLetters(word, name) <= 2)
  return match === undefined ? '' : `; did you mean ${match.name}?`
}
