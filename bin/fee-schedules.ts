import { listAll } from '../core/list-catalogue.ts'
import type { FeeSchedulesDeps } from '../loader/manage-fee-schedules.ts'
import {
  cleanWarehouse,
  findFeeSchedule,
  removeFeeSchedule,
  rollBackFeeSchedule,
} from '../loader/manage-fee-schedules.ts'
import { UsageError } from './command/errors.ts'
import { readOptions } from './command/options.ts'
import type { Answer } from './command/output.ts'
import { runCommand } from './command/run-command.ts'
import { describeContent, describeEntries, sortByName, summariseEntry } from './describe-content.ts'
import { defaultDataFolder } from './local-service.ts'
import { newOpaqueId } from './seed.ts'
import { warehouseOptions, withWarehouse } from './warehouse.ts'

const usage = `
Shows and changes which loaded files are active for which fee schedule. Superseded loads are kept for a day.

Usage: npm run fee-schedules -- list [--payer <name>]
       npm run fee-schedules -- show <payer> <plan>
       npm run fee-schedules -- remove <payer> <plan>
       npm run fee-schedules -- rollback <payer> <plan>
       npm run fee-schedules -- clean

  list      the fee schedules that searches find
  show      one of them: its files, their counts, and which were active before
  remove    no search finds it from now on
  rollback  makes active what the last load superseded; once more undoes it
  clean     removes the loads that were superseded a day ago or earlier, and what killed loads have left

  --payer <name>   only this payer's
  ${warehouseOptions(defaultDataFolder)}
  --help           print this
`

type Command = (deps: FeeSchedulesDeps, args: readonly string[], payer: string | undefined) => Promise<Answer>

const commands: Readonly<Record<string, Command>> = {
  async list({ catalogue }, args, payer) {
    if (args.length > 0) throw new UsageError('list takes no names: use --payer')
    const entries = (await listAll(catalogue)).filter((entry) => payer === undefined || entry.payer === payer)
    const feeSchedules = sortByName(entries.map(summariseEntry))
    return { facts: { feeSchedules }, text: describeEntries(feeSchedules), wrote: false }
  },
  async show({ catalogue }, args) {
    const entry = await findFeeSchedule(readFeeSchedule(args), catalogue)
    const { previous } = entry
    const before = previous && ['', `superseded at ${previous.replacedAt}:`, ...describeContent(previous)]
    const text = [`${entry.payer} / ${entry.plan}`, ...describeContent(entry), ...(before ?? [])].join('\n')
    return { facts: { ...entry }, text, wrote: false }
  },
  async remove(deps, args) {
    const { payer, plan } = await removeFeeSchedule(readFeeSchedule(args), deps)
    return {
      facts: { removed: { payer, plan } },
      text: `removed ${payer} / ${plan}; its files stay for a day`,
      wrote: true,
    }
  },
  async rollback(deps, args) {
    const entry = summariseEntry(await rollBackFeeSchedule(readFeeSchedule(args), deps))
    return { facts: { active: entry }, text: `active again:\n${describeEntries([entry])}`, wrote: true }
  },
  async clean(deps) {
    const removed = await cleanWarehouse(deps)
    const text = `removed ${removed.length} superseded ${removed.length === 1 ? 'load' : 'loads'}`
    return { facts: { removed }, text, wrote: true }
  },
}

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      payer: { type: 'string' },
      stage: { type: 'string' },
      data: { type: 'string', default: defaultDataFolder },
      json: { type: 'boolean', default: false },
    },
  })
  const [name = '', ...args] = positionals
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined)
    throw new UsageError(`the command must be one of ${Object.keys(commands).join(', ')}, not "${name}"`)
  await withWarehouse(values, (opened) =>
    command({ ...opened, newVersion: newOpaqueId, now: () => new Date() }, args, values.payer),
  )
})

function readFeeSchedule([payer, plan, ...more]: readonly string[]) {
  if (payer === undefined || plan === undefined || more.length > 0) throw new UsageError('name a payer and a plan')
  return { payer, plan }
}
