import { createInterface } from 'node:readline/promises'
import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { flags, type OptionValues, readNumber, texts } from '../client/command-line/parse-options.ts'
import { listAllSearchable } from '../core/catalogue/list-catalogue.ts'
import { findFeeSchedule, removeFeeSchedule } from '../core/switching/manage-fee-schedules.ts'
import { rollBackFeeSchedule } from '../core/switching/roll-back.ts'
import { cleanAll } from '../loader/fleet/ended-loads.ts'
import { maxKeepMonths } from '../schema/limits.ts'
import { countOf } from '../schema/phrases.ts'
import { quoteWord } from './command/cli-arguments.ts'
import { installationOptions, readCommand } from './command/options.ts'
import { type Answer, printAnswer } from './command/output.ts'
import { openProgress } from './command/progress.ts'
import { runCommand } from './command/run-command.ts'
import type { OpenedWarehouse } from './warehouse/connect-catalogue.ts'
import {
  describeDetails,
  describeEntries,
  readDetails,
  sortByName,
  summariseEntry,
} from './warehouse/describe-content.ts'
import { openChosenWarehouse, warehouseOptions } from './warehouse/open-warehouse.ts'

const usage = `
Shows and changes which loaded files are active for which fee schedule. Superseded and removed files are kept for a day.

Usage: npm run fee-schedules -- list [--payer <name>]
       npm run fee-schedules -- show <payer> <plan>
       npm run fee-schedules -- remove <payer> <plan> [--yes]
       npm run fee-schedules -- rollback <payer> <plan>
       npm run fee-schedules -- clean [--dry-run] [--keep-months <n>]
       npm run fee-schedules -- remove-names [--yes]

  list      the fee schedules that searches can name; a name shared by several plan ids is listed only if all use the same files
  show      one of them: its files with their counts, its plan ids and its previous state
  remove    hides it from new searches; removing a plan's name removes all its plan ids
  rollback  undoes the last load, removal or rollback; for a plan's name, of all plan ids that changed with it
  clean     deletes files that were superseded or removed over a day ago, and the leftovers of killed loads; loads
            by many workers that ended over a day ago can no longer be resumed
  remove-names
            removes the names by which people find billing codes, such as texts that are licensed; files that are read
            later bring theirs, unless they are loaded --without-descriptions

  --payer <name>   only this payer's
  --yes            do not ask
  --keep-months <n>
                   keep the data that as_of searches need for the last n months (default: the previous setting, initially 0)
  --dry-run        only say what clean would delete, and how many bytes
  ${warehouseOptions}
  --help           print this
`

const options = { ...texts('payer', 'keep-months'), ...flags('yes', 'dry-run'), ...installationOptions }

type Values = OptionValues<typeof options>

type Command = (deps: OpenedWarehouse, args: readonly string[], values: Values) => Promise<Answer>

const commands: Readonly<Record<string, Command>> = {
  async list({ catalogue }, args, { payer }) {
    if (args.length > 0) throw new UsageError('list takes no names: use --payer')
    const entries = await listAllSearchable(catalogue, payer)
    const feeSchedules = sortByName(entries.map(summariseEntry))
    return { facts: { feeSchedules }, text: describeEntries(feeSchedules), wrote: false }
  },
  async show({ catalogue, contents }, args) {
    const details = await readDetails(await findFeeSchedule(readFeeSchedule(args), catalogue), contents)
    return { facts: { ...details }, text: describeDetails(details), wrote: false }
  },
  async remove(deps, args, { yes }) {
    const feeSchedule = readFeeSchedule(args)
    const { entry, variants } = await findFeeSchedule(feeSchedule, deps.catalogue)
    const ids = variants.length > 1 ? ` with ${variants.length} plan ids` : ''
    if (!yes) await confirm(`Remove ${entry.payer} / ${entry.plan}${ids}?`)
    await removeFeeSchedule(feeSchedule, deps)
    return {
      facts: { removed: { payer: entry.payer, plan: entry.plan, planIds: variants.length } },
      text: `removed ${entry.payer} / ${entry.plan}${ids}; for a day, npm run fee-schedules -- rollback ${quoteWord(feeSchedule.payer)} ${quoteWord(feeSchedule.plan)} brings it back`,
      wrote: true,
    }
  },
  async rollback(deps, args) {
    const changed = sortByName((await rollBackFeeSchedule(readFeeSchedule(args), deps)).map(summariseEntry))
    return { facts: { changed }, text: `rolled back:\n${describeEntries(changed)}`, wrote: true }
  },
  async 'remove-names'({ codeNames }, args, { yes }) {
    if (args.length > 0) throw new UsageError('remove-names takes no names: it removes those of all payers')
    if (!yes) await confirm('Remove the names of all billing codes?')
    await codeNames.remove()
    return { facts: { removedNames: true }, text: 'no billing code can be found by its name', wrote: true }
  },
  async clean(deps, _, { 'dry-run': isDry = false, 'keep-months': months }) {
    const keepMonths = months === undefined ? undefined : readNumber('--keep-months', months, 0, maxKeepMonths)
    const removed = await clean(deps, isDry, keepMonths)
    const loads =
      removed.loads === 0
        ? ''
        : `; ${countOf(removed.loads, 'load')} ${isDry ? 'could then' : 'can'} no longer be resumed`
    const what = `${countOf(removed.sources, 'file')} and ${countOf(removed.contents, 'content')} that no fee schedule reads`
    const text = `${isDry ? 'would remove' : 'removed'} ${what}, ${countOf(removed.bytes, 'byte')}${loads}`
    return { facts: isDry ? { wouldRemove: removed } : { removed }, text, wrote: !isDry }
  },
}

/** Deletes files as `clean` says, which takes minutes in a large warehouse. */
async function clean(deps: OpenedWarehouse, isDry: boolean, keepMonths: number | undefined) {
  using progress = openProgress()
  progress.begin('looking for files that no search reads')
  return await cleanAll(deps, isDry, keepMonths)
}

/** @throws CommandFailed unless the answer is yes */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError('without a terminal, nobody can be asked for confirmation: use --yes to give it')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailed('nothing was removed')
}

await runCommand(usage, async () => {
  const { values, command, args } = readCommand(commands, options)
  await using opened = await openChosenWarehouse(values)
  printAnswer(await command(opened, args, values), opened.installation, values.json)
})

function readFeeSchedule([payer, plan, ...more]: readonly string[]) {
  if (payer === undefined || plan === undefined || more.length > 0) throw new UsageError('name a payer and a plan')
  return { payer, plan }
}
