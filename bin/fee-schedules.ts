import { createInterface } from 'node:readline/promises'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import { listSearchable } from '../core/list-catalogue.ts'
import type { FeeSchedulesDeps } from '../loader/manage-fee-schedules.ts'
import {
  cleanWarehouse,
  findFeeSchedule,
  removeFeeSchedule,
  rollBackFeeSchedule,
} from '../loader/manage-fee-schedules.ts'
import { CommandFailed, readOptions, runCommand, UsageError } from './command.ts'
import { describeEntry, describeWhole } from './describe-content.ts'
import { defaultDataFolder } from './local-service.ts'
import { newOpaqueId } from './seed.ts'
import { warehouseOptions, withWarehouse } from './warehouse.ts'

const usage = `
Shows and changes which loaded files searches read for which fee schedule. What is replaced or removed stays for a day.

Usage: npm run fee-schedules -- list [--payer <name>]
       npm run fee-schedules -- show <payer> <plan>
       npm run fee-schedules -- remove <payer> <plan> [--yes]
       npm run fee-schedules -- rollback <payer> <plan>
       npm run fee-schedules -- clean

  list      the fee schedules that searches can name; one name of several plan ids only if all have the same files
  show      one of them: its files, their counts, its plan ids, and what it was before
  remove    no search finds it from now on; a plan's name is removed with all its plan ids
  rollback  undoes the last load, removal or rollback; a plan's name goes back with all plan ids that changed with it
  clean     removes what has been replaced or removed for a day, and what killed loads have left

  --payer <name>   only this payer's
  --yes            do not ask
  ${warehouseOptions(defaultDataFolder)}
  --help           print this
`

interface Values {
  readonly payer?: string | undefined
  readonly yes?: boolean | undefined
}

type Command = (deps: FeeSchedulesDeps, args: readonly string[], values: Values) => Promise<string>

const commands: Readonly<Record<string, Command>> = {
  async list({ catalogue }, _args, { payer }) {
    const lines: string[] = []
    let after: FeeSchedule | undefined
    do {
      const page = await listSearchable(catalogue, { limit: 1000, ...(payer && { payer }), ...(after && { after }) })
      lines.push(...page.items.map(describeEntry))
      after = page.next
    } while (after !== undefined)
    return lines.join('\n') || 'no fee schedules'
  },
  async show({ catalogue, contents }, args) {
    return describeWhole(await findFeeSchedule(readFeeSchedule(args), catalogue), contents)
  },
  async remove(deps, args, { yes }) {
    const feeSchedule = readFeeSchedule(args)
    const { entry, variants } = await findFeeSchedule(feeSchedule, deps.catalogue)
    const ids = variants.length > 1 ? ` with ${variants.length} plan ids` : ''
    if (!yes) await confirm(`Remove ${entry.payer} / ${entry.plan}${ids}?`)
    await removeFeeSchedule(feeSchedule, deps)
    return `removed ${entry.payer} / ${entry.plan}${ids}; within a day, fee-schedules rollback brings it back`
  },
  async rollback(deps, args) {
    const changed = await rollBackFeeSchedule(readFeeSchedule(args), deps)
    return ['rolled back:', ...changed.map((entry) => `  ${describeEntry(entry)}`)].join('\n')
  },
  async clean(deps) {
    const { sources, contents } = await cleanWarehouse(deps)
    const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
    return `removed ${countOf(sources, 'file')} and ${countOf(contents, 'list')} of files that no fee schedule reads`
  },
}

/** @throws CommandFailed unless the answer is yes */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError('remove asks before it removes: say --yes where nobody can answer')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailed('nothing was removed')
}

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      payer: { type: 'string' },
      yes: { type: 'boolean' },
      stage: { type: 'string' },
      data: { type: 'string', default: defaultDataFolder },
    },
  })
  const [name = '', ...args] = positionals
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw new UsageError(`say one of ${Object.keys(commands).join(', ')}`)
  await withWarehouse(values, async (opened) => {
    const deps = { ...opened, newId: newOpaqueId, now: () => new Date() }
    process.stdout.write(`${await command(deps, args, values)}\n`)
  })
})

function readFeeSchedule([payer, plan, ...more]: readonly string[]) {
  if (payer === undefined || plan === undefined || more.length > 0) throw new UsageError('name a payer and a plan')
  return { payer, plan }
}
