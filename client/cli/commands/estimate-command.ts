import type { Estimate } from '../../api.ts'
import { printable } from '../../command-line/printable.ts'
import { describeReads, formatTable } from '../../command-line/table.ts'
import { type Command, printResult, sharedUsage, withSession } from '../command.ts'
import { readArguments } from '../options.ts'
import { filterOptions, readSearchRequest } from '../search-request.ts'
import { refuseMissing } from './missing-fee-schedules.ts'
import { filterUsage } from './search-command.ts'

export const estimateCommand: Command = {
  name: 'estimate',
  summary: 'estimate what a search would read, without starting it',
  usage: `
Estimates what a search would read, and checks that its fee schedules exist, without starting it. If one does not exist,
it names the nearest ones and exits with 2, as the search would.

Usage: rate-search estimate --payer <name> --plan <name> [--npi <list>] [--tin <list>] [--code <list>]

${filterUsage}
${sharedUsage}

Examples:
  rate-search estimate --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --npi @npis.csv
  rate-search estimate --plan-id 00-1234567 --npi @npis.csv
`,
  async run(args, world) {
    const { values, tokens } = readArguments(args, filterOptions)
    const request = await readSearchRequest(values, tokens, world)
    await withSession(world, values, async (session) => {
      const estimate = await session.client.estimate(request, { signal: world.signal })
      // Programs get the whole answer also if it is a refusal.
      if (!values.json) refuseMissing(estimate, request)
      printResult(session, estimate, describeEstimate(estimate))
      refuseMissing(estimate, request)
    })
  },
}

function describeEstimate({ fee_schedules, files, bytes, warnings }: Estimate): string {
  const table = formatTable(
    ['FEE SCHEDULE', 'EXISTS', 'NEAREST'],
    fee_schedules.map(({ payer, plan, exists, nearest }) => [
      `${payer} / ${plan}`,
      exists ? 'yes' : 'no',
      nearest.map((near) => `${near.payer} / ${near.plan}`).join(', ') || '-',
    ]),
  )
  const reads = files === null ? 'It reads an unknown number of bytes.' : `It reads ${describeReads(files, bytes)}.`
  return [table, '', reads, ...warnings.map(({ path, message }) => printable(`warning: ${path}: ${message}`))].join(
    '\n',
  )
}
