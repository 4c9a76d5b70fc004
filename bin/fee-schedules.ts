import type { CatalogueEntry } from '../core/catalogue-entry.ts'
import { listAll } from '../core/list-catalogue.ts'
import type { FeeSchedulesDeps } from '../loader/manage-fee-schedules.ts'
import {
  cleanWarehouse,
  findFeeSchedule,
  removeFeeSchedule,
  rollBackFeeSchedule,
} from '../loader/manage-fee-schedules.ts'
import { readOptions, runCommand, UsageError } from './command.ts'
import { describeContent } from './describe-content.ts'
import { defaultDataFolder } from './local-service.ts'
import { newOpaqueId } from './seed.ts'
import { warehouseOptions, withWarehouse } from './warehouse.ts'

const usage = `
Shows and changes which loaded files count for which fee schedule. Loads that no longer count stay for a day.

Usage: npm run fee-schedules -- list [--payer <name>]
       npm run fee-schedules -- show <payer> <plan>
       npm run fee-schedules -- remove <payer> <plan>
       npm run fee-schedules -- rollback <payer> <plan>
       npm run fee-schedules -- clean

  list      the fee schedules that searches find
  show      one of them: its files, their counts, and what counted before
  remove    no search finds it from now on
  rollback  what counted before the last load counts again; once more undoes it
  clean     remove the loads that have not counted for a day, and what killed loads have left

  --payer <name>   only this payer's
  ${warehouseOptions(defaultDataFolder)}
  --help           print this
`

type Command = (deps: FeeSchedulesDeps, args: readonly string[], payer: string | undefined) => Promise<string>

const commands: Readonly<Record<string, Command>> = {
  async list({ catalogue }, _args, payer) {
    const entries = (await listAll(catalogue)).filter((entry) => payer === undefined || entry.payer === payer)
    return entries.map(describeEntry).join('\n') || 'no fee schedules'
  },
  async show({ catalogue }, args) {
    const { previous, ...entry } = await findFeeSchedule(readFeeSchedule(args), catalogue)
    const before = previous && ['', `before ${previous.replacedAt}:`, ...describeContent(previous)]
    return [`${entry.payer} / ${entry.plan}`, ...describeContent(entry), ...(before ?? [])].join('\n')
  },
  async remove(deps, args) {
    const { payer, plan } = await removeFeeSchedule(readFeeSchedule(args), deps)
    return `removed ${payer} / ${plan}; its files stay for a day`
  },
  async rollback(deps, args) {
    return `what counted before counts again: ${describeEntry(await rollBackFeeSchedule(readFeeSchedule(args), deps))}`
  },
  async clean(deps) {
    const { length } = await cleanWarehouse(deps)
    return `removed ${length} ${length === 1 ? 'load' : 'loads'} that no longer counted`
  },
}

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      payer: { type: 'string' },
      stage: { type: 'string' },
      data: { type: 'string', default: defaultDataFolder },
    },
  })
  const [name = '', ...args] = positionals
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw new UsageError(`say one of ${Object.keys(commands).join(', ')}`)
  await withWarehouse(values, async (opened) => {
    const deps = { ...opened, newVersion: newOpaqueId, now: () => new Date() }
    process.stdout.write(`${await command(deps, args, values.payer)}\n`)
  })
})

function readFeeSchedule([payer, plan, ...more]: readonly string[]) {
  if (payer === undefined || plan === undefined || more.length > 0) throw new UsageError('name a payer and a plan')
  return { payer, plan }
}

function describeEntry({ payer, plan, planIds, sources, lastUpdatedOn, partial }: CatalogueEntry): string {
  return [
    `${payer} / ${plan}`,
    ...(planIds.length === 0 ? [] : [`plan id ${planIds.join(', ')}`]),
    `${sources.length} ${sources.length === 1 ? 'file' : 'files'}`,
    ...(lastUpdatedOn === undefined ? [] : [`last updated on ${lastUpdatedOn}`]),
    ...(partial ? ['partial'] : []),
  ].join(', ')
}
