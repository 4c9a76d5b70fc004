import type { LoadRecord } from '../core/catalogue/load-record.ts'
import { formatTimestamp } from '../core/job/timestamp.ts'
import { findUndoable, rollBackLoad } from '../loader/catalogue/roll-back-load.ts'
import { isSilent } from '../loader/load-watch.ts'
import { CommandFailed, UsageError } from './command/errors.ts'
import { defaultDataFolder } from './command/local-access.ts'
import { newOpaqueId } from './command/opaque-id.ts'
import { chooseCommand, readOptions } from './command/options.ts'
import type { Answer } from './command/output.ts'
import { runCommand } from './command/run-command.ts'
import { formatTable } from './command/table.ts'
import type { OpenedWarehouse } from './warehouse/open-warehouse.ts'
import { warehouseOptions, withWarehouse } from './warehouse/open-warehouse.ts'

const usage = `
Shows loads, ends one that is running, and undoes one that has ended.

Usage: npm run loads -- list
       npm run loads -- show <load>
       npm run loads -- cancel <load>
       npm run loads -- rollback <load>

  list      the loads of this warehouse, the latest first
  show      one of them, with what it changed, or why it failed
  cancel    ends it within a minute, wherever it runs; what was active stays active. A load that is already switching
            its fee schedules completes: roll it back
  rollback  each fee schedule that the load changed has its previous content again, or none if the load was its first;
            what was changed since stays. Possible for a day, and longer until \`npm run fee-schedules -- clean\`. If it
            is interrupted, run it again

  ${warehouseOptions(defaultDataFolder)}
  --help    print this

To resume a load that was killed or cancelled, run the same \`npm run load\` again: files that have not changed are not
read again.
`

type Command = (opened: OpenedWarehouse, args: readonly string[]) => Promise<Answer>

const commands: Readonly<Record<string, Command>> = {
  async list({ records }, args) {
    if (args.length > 0) throw new UsageError('list takes no arguments')
    const loads = (await records.list()).toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime())
    const rows = loads.map(({ loadId, startedAt, from, ...load }) => ({
      ...{ LOAD: loadId, STARTED: formatTimestamp(startedAt), STATE: describeState(load), FROM: from },
    }))
    const text = rows.length === 0 ? 'no loads' : formatTable(['LOAD', 'STARTED', 'STATE', 'FROM'], rows)
    return { facts: { loads }, text, wrote: false }
  },
  async show({ records }, args) {
    const load = await find(records, args)
    return { facts: { ...load }, text: describeLoad(load), wrote: false }
  },
  async cancel({ records }, args) {
    const load = await find(records, args)
    const { loadId } = load
    const state = describeState(load)
    if (state === 'killed' || ((await records.cancel(loadId)) === 'superseded' && state !== 'cancelling'))
      throw new CommandFailed(`the load ${loadId} does not run: it is ${state}`)
    return { facts: { loadId }, text: `cancelling ${loadId}: it ends within a minute`, wrote: true }
  },
  async rollback({ records, ...opened }, args) {
    const load = await find(records, args)
    const { loadId } = load
    const state = describeState(load)
    if (state === 'running' || state === 'cancelling')
      throw new CommandFailed(`the load ${loadId} is ${state}: cancel it if it runs, and wait until it has ended`)
    const deps = { ...opened, newId: newOpaqueId, now: () => new Date() }
    const undoable = await findUndoable(loadId, deps)
    if (undoable.states.length + undoable.unsettled.length === 0)
      throw new CommandFailed(`no fee schedule has what the load ${loadId} loaded: there is nothing to roll back`)
    const { switched, contended } = await rollBackLoad(undoable, deps)
    const variants = switched.filter(({ variantOf }) => variantOf !== undefined)
    const removed = variants.filter((entry) => entry.state.status === 'removed').length
    if (contended.length > 0) process.exitCode = 3
    const counts = { restored: variants.length - removed, removed, changedSince: contended.length }
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

function describeState({ state, touchedAt }: Pick<LoadRecord, 'state' | 'touchedAt'>): string {
  const isEnded = state !== 'running' && state !== 'cancelling'
  return isEnded || !isSilent({ touchedAt }, new Date()) ? state : 'killed'
}

function describeLoad(load: LoadRecord): string {
  const { loadId, from, startedAt, touchedAt, endedAt, reason, counts } = load
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['load', loadId],
    ['from', from],
    ['state', describeState(load)],
    ['started', formatTimestamp(startedAt)],
    ['last sign of life', endedAt === undefined ? formatTimestamp(touchedAt) : undefined],
    ['ended', endedAt && formatTimestamp(endedAt)],
    ['reason', reason],
    ['files', counts && `${counts.files} read, ${counts.takenOver} unchanged since an earlier load`],
    [
      'fee schedules',
      counts &&
        `${counts.switched} switched, ${counts.unchanged} unchanged, ${counts.removed} removed, ${counts.leftOut} left out`,
    ],
  ]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`)).join('\n')
}

interface RollbackCounts {
  readonly restored: number
  readonly removed: number
  readonly changedSince: number
}

function describeRollback({ restored, removed, changedSince }: RollbackCounts): string {
  const since = changedSince === 0 ? '' : `; ${changedSince} were changed meanwhile and stay: run it again`
  return `rolled back by plan id: ${restored} have their previous content, ${removed} are removed${since}`
}

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      stage: { type: 'string' },
      data: { type: 'string', default: defaultDataFolder },
      json: { type: 'boolean', default: false },
    },
  })
  const { command, args } = chooseCommand(commands, positionals)
  await withWarehouse(values, (opened) => command(opened, args))
})
