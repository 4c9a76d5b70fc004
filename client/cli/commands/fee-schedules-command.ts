import { nameSome } from '../../../schema/phrases.ts'
import type { CatalogueEntry } from '../../api.ts'
import { formatTable, maxShownNames } from '../../command-line/table.ts'
import type { FeeSchedulesQuery } from '../../list-calls.ts'
import { type Command, printResult, sharedUsage, withSession } from '../command.ts'
import { readArguments } from '../options.ts'

export const feeSchedulesCommand: Command = {
  name: 'fee-schedules',
  summary: 'list the payers and plans that can be searched',
  usage: `
Lists the fee schedules (payer and plan) that can be searched.

Usage: rate-search fee-schedules [--query <words>] [--plan-id <id>] [--sponsor <words>]
                                 [--market <type>] [--payer <name>]

  --query <words>   only entries with words that begin so, all of them, in payer, plan, sponsor or plan id
  --plan-id <id>    only entries with this EIN or HIOS id
  --sponsor <words> only entries with all of these words in the name of the employer or other sponsor
  --market <type>   only entries of this market: group or individual
  --payer <name>    only entries of this payer; the exact name
${sharedUsage}

Examples:
  rate-search fee-schedules
  rate-search fee-schedules --query 'harbor gold'
  rate-search fee-schedules --plan-id 00-1234567
  rate-search fee-schedules --payer 'Blue Harbor Health' --json
`,
  async run(args, world) {
    const text = { type: 'string' } as const
    const options = { payer: text, query: text, 'plan-id': text, sponsor: text, market: text }
    const { values } = readArguments(args, options)
    await withSession(world, values, async (session) => {
      const entries: CatalogueEntry[] = []
      const { payer, query: q, 'plan-id': plan_id, sponsor, market } = values
      const filters = Object.entries({ payer, q, plan_id, sponsor, market }).filter(([, value]) => value !== undefined)
      const filter: FeeSchedulesQuery = Object.fromEntries(filters)
      for await (const entry of session.client.feeSchedules(filter, { signal: world.signal })) {
        entries.push(entry)
        session.progress.show(() => `${entries.length} fee schedules`)
      }
      if (entries.length === 0 && filters.length > 0)
        session.progress.say(
          plan_id === undefined
            ? 'nothing matches: use fewer words, or only their first letters, spelled as published'
            : 'nothing matches: an EIN has nine digits, with leading zeros; --query searches the names of plans and sponsors',
        )
      printResult(session, { fee_schedules: entries }, describeEntries(entries))
    })
  },
}

const describeEntries = (entries: readonly CatalogueEntry[]) =>
  formatTable(
    ['PAYER', 'PLAN', 'SPONSOR', 'UPDATED', 'PLAN IDS', ''],
    entries.map((entry) => [
      entry.payer,
      entry.plan,
      nameSome(entry.plan_sponsor_names ?? [], maxShownNames) || '-',
      entry.last_updated_on,
      entry.plan_id_count,
      entry.partial ? 'partial' : '',
    ]),
  )
