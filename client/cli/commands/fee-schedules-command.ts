import type { CatalogueEntry } from '../../api.ts'
import { type Command, printResult, sharedUsage, withSession } from '../command.ts'
import { readArguments, sharedOptions } from '../options.ts'
import { formatTable } from '../table.ts'

export const feeSchedulesCommand: Command = {
  name: 'fee-schedules',
  summary: 'list the payers and plans that can be searched',
  usage: `
Lists the fee schedules (payer and plan) that can be searched.

Usage: rate-search fee-schedules [--payer <name>] [--query <start>]

  --payer <name>    only those of this payer; the exact name
  --query <start>   only those whose payer or plan begins with this
${sharedUsage}

Examples:
  rate-search fee-schedules
  rate-search fee-schedules --query Harbor
  rate-search fee-schedules --payer 'Blue Harbor Health' --json
`,
  async run(args, world) {
    const options = { ...sharedOptions, payer: { type: 'string' }, query: { type: 'string' } } as const
    const { values } = readArguments({ args: [...args], options })
    await withSession(world, values, async (session) => {
      const entries: CatalogueEntry[] = []
      const filter = {
        ...(values.payer !== undefined && { payer: values.payer }),
        ...(values.query !== undefined && { q: values.query }),
      }
      for await (const entry of session.client.feeSchedules(filter, { signal: world.signal })) {
        entries.push(entry)
        session.progress.show(() => `${entries.length} fee schedules`)
      }
      printResult(session, { fee_schedules: entries }, describeEntries(entries))
    })
  },
}

const describeEntries = (entries: readonly CatalogueEntry[]) =>
  formatTable(
    ['PAYER', 'PLAN', 'UPDATED', 'PLAN IDS', ''],
    entries.map((entry) => [
      entry.payer,
      entry.plan,
      entry.last_updated_on,
      entry.plan_id_count,
      entry.partial ? 'partial' : '',
    ]),
  )
