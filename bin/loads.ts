import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { flags, type OptionValues, texts } from '../client/command-line/parse-options.ts'
import type { LoadRecord } from '../core/loads/load-record.ts'
import { findUndoable, rollBackLoad, type UndoableLoad } from '../core/switching/roll-back.ts'
import { formatTimestamp } from '../core/time.ts'
import { describeLoad, describeOutcome, describeState } from './aws-loads/describe-load.ts'
import {
  cancelOnAws,
  findWaiting,
  followToEnd,
  readAwsWorkers,
  resumeOnAws,
  showLoad,
} from './aws-loads/load-commands.ts'
import { findAwsLoads, requireAwsLoads } from './aws-loads/open-aws-loads.ts'
import { installationOptions, readCommand } from './command/options.ts'
import { type Answer, printAnswer } from './command/output.ts'
import { explainStop, runCommand } from './command/run-command.ts'
import { formatList } from './command/table.ts'
import type { OpenedWarehouse } from './warehouse/connect-catalogue.ts'
import { openChosenWarehouse, warehouseOptions } from './warehouse/open-warehouse.ts'

const usage = `
Shows loads, ends one that is running, and undoes one that has ended.

Usage: npm run loads -- list
       npm run loads -- show <load> [--follow]
       npm run loads -- cancel <load>
       npm run loads -- resume <load> --stage <name> [--workers <n>]
       npm run loads -- rollback <load>

  list      the loads of this warehouse, the latest first
  show      one of them, with what it changed, or why it failed; of one on AWS also its progress and what it cost so
            far. --follow shows that until it ends, or until Ctrl-C, which leaves it running
  cancel    ends it within a minute, wherever it runs; what was active stays active. A load that is already switching
            its fee schedules completes: roll it back
  resume    runs a load on AWS again that failed, was killed or cancelled, or left something out: files that were read
            are not read again
  rollback  each fee schedule that the load changed has its previous content again, or none if the load was its first;
            what was changed since stays. Possible for a day, and longer until \`npm run fee-schedules -- clean\`. If it
            is interrupted, run it again

  ${warehouseOptions}
  --help    print this

To resume any other load, run the same \`npm run load\` again: files that have not changed are not read again.
`

const options = { ...texts('workers'), ...flags('follow'), ...installationOptions }

type Command = (
  opened: OpenedWarehouse,
  args: readonly string[],
  values: OptionValues<typeof options>,
) => Promise<Answer>

const commands: Readonly<Record<string, Command>> = {
  async list({ records }, args, { stage }) {
    if (args.length > 0) throw new UsageError('list takes no arguments')
    const loads = (await records.list()).toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime())
    const aws = await findAwsLoads(stage)
    const shown = aws === undefined ? loads : await findWaiting(loads, aws.executions, new Date())
    const rows = shown.map(({ loadId, startedAt, from, ...load }) => ({
      LOAD: loadId,
      STARTED: formatTimestamp(startedAt),
      STATE: describeOutcome(load),
      FROM: from,
    }))
    return { facts: { loads }, text: formatList(rows, 'no loads'), wrote: false }
  },
  async show(opened, args, { stage, follow }) {
    const load = await find(opened.records, args)
    const loads = await findAwsLoads(stage)
    if (loads !== undefined)
      return follow ? followToEnd(load.loadId, { ...opened, loads }) : showLoad(load, { ...opened, loads })
    if (follow) throw new UsageError('--follow is for loads on AWS: name a stage that has them with --stage')
    return { facts: { ...load }, text: describeLoad(load), wrote: false }
  },
  async resume(opened, args, { stage, workers }) {
    if (stage === undefined)
      throw new UsageError('resume is for loads on AWS and needs --stage; run the same npm run load again for others')
    const loads = await requireAwsLoads(stage)
    const load = await find(opened.records, args)
    return resumeOnAws(load, readAwsWorkers(workers, loads), { ...opened, loads })
  },
  async cancel(opened, args, { stage }) {
    const { records } = opened
    const load = await find(records, args)
    const loads = await findAwsLoads(stage)
    const cancelled = loads && (await cancelOnAws(load, { ...opened, loads }))
    if (cancelled !== undefined) return cancelled
    const { loadId } = load
    const state = describeState(load)
    if (state === 'killed' || ((await records.cancel(loadId)) === 'superseded' && state !== 'cancelling'))
      throw new CommandFailed(`the load ${loadId} is not running (state: ${state})`)
    return { facts: { loadId }, text: `cancelling ${loadId}: it ends within a minute`, wrote: true }
  },
  async rollback(opened, args) {
    const { records } = opened
    const load = await find(records, args)
    const { loadId } = load
    const state = describeState(load)
    if (state === 'running' || state === 'cancelling')
      throw new CommandFailed(`the load ${loadId} is ${state}: cancel it if it runs, and wait until it has ended`)
    const undoable = await findUndoable(loadId, opened)
    const { broughtBack, replaced } = undoable
    if (undoable.states.length + undoable.unsettled.length === 0) throw new CommandFailed(describeNothing(undoable))
    using _ = explainStop(
      `stopped; some fee schedules may be rolled back: npm run loads -- rollback ${loadId} does the rest`,
    )
    const { switched, contended } = await rollBackLoad(undoable, opened)
    if (broughtBack === 0) await records.noteUndone(loadId, opened.now())
    const variants = switched.filter(({ variantOf }) => variantOf !== undefined)
    const removed = variants.filter((entry) => entry.state.status === 'removed').length
    if (contended.length + broughtBack > 0) process.exitCode = 3
    const counts = {
      restored: variants.length - removed,
      removed,
      changedSince: contended.length,
      broughtBack,
      replaced,
    }
    return { facts: { loadId, ...counts }, text: describeRollback(counts), wrote: true }
  },
}

async function find(records: OpenedWarehouse['records'], [loadId, ...more]: readonly string[]): Promise<LoadRecord> {
  if (loadId === undefined || more.length > 0)
    throw new UsageError('name one load, as `npm run loads -- list` shows it')
  const load = await records.read(loadId)
  if (load === undefined) throw new CommandFailed(`there is no load ${loadId}: npm run loads -- list shows them`)
  return load
}

function describeNothing({ loadId, changers, broughtBack }: UndoableLoad): string {
  const [first] = changers
  if (first === undefined) return `no fee schedule has what the load ${loadId} loaded: there is nothing to roll back`
  if (broughtBack > 0 || (first.startsWith('undo-') && first !== `undo-${loadId}`))
    return `a rollback has brought back what the load ${loadId} loaded, and what was before it is gone: load other files, or remove its fee schedules`
  return first === `undo-${loadId}`
    ? `the load ${loadId} is rolled back: there is nothing to roll back`
    : `the load ${first} has changed what the load ${loadId} loaded: roll ${first} back first`
}

function describeRollback(
  counts: Readonly<Record<'restored' | 'removed' | 'changedSince' | 'broughtBack' | 'replaced', number>>,
) {
  const { restored, removed, changedSince, broughtBack, replaced } = counts
  return [
    `rolled back by plan id: ${restored} restored to their previous content, ${removed} removed`,
    ...(replaced === 0 ? [] : [`${replaced} changed since and left as they are`]),
    ...(changedSince === 0 ? [] : [`${changedSince} changed meanwhile and left as they are: run it again`]),
    ...(broughtBack === 0
      ? []
      : [`${broughtBack} left with what it loaded, which a rollback brought back: load other files, or remove them`]),
  ].join('; ')
}

await runCommand(usage, async () => {
  const { values, command, args } = readCommand(commands, options)
  await using opened = await openChosenWarehouse(values)
  printAnswer(await command(opened, args, values), opened.installation, values.json)
})
