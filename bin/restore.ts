import { checkResults } from '../adapters/dynamodb/jobs/restorable-results.ts'
import { type CopyCounts, connectForCopies, copyItems, describeForm } from '../adapters/dynamodb/table-copies.ts'
import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { readOptions, texts } from '../client/command-line/parse-options.ts'
import { countOf } from '../schema/phrases.ts'
import { serviceTables, type TableSchema } from '../schema/tables.ts'
import { jsonOption, printAnswer } from './command/output.ts'
import { openProgress } from './command/progress.ts'
import { explainStop, runCommand } from './command/run-command.ts'
import { formatTable } from './command/table.ts'
import { findOutputs, readOutputs, readStageName, readTables, requireOutput } from './stacks/deployment.ts'

const usage = `
Copies items into the tables of a deployed stage, from tables that a destroyed stage has kept or that point-in-time
recovery has created. Items that the stage already has are not overwritten, so the command can be repeated. docs/restoring.md,
"Restoring", says what comes back.

Usage: npm run restore -- --stage <name> [--access <table>] [--contents <table>] [--fee-schedules <table>] [--jobs <table>]
                          [--webhooks <table>]

  --stage <name>           the deployed stage that gets the items
  --access <table>         organizations, keys and limits
  --contents <table>       loads, and what fee schedules consist of
  --fee-schedules <table>  which fee schedules can be searched
  --jobs <table>           searches; completed ones only if the files of their results are in the stage's bucket
  --webhooks <table>       webhooks with their secrets, and calls that are due or were given up
  --dry-run                count the items, and write none
  ${jsonOption}
  --help                   print this
`

/** Tables in the order of writing: an item is written after the items that it refers to. */
const tables = [
  { option: 'access', table: 'Access' },
  { option: 'contents', table: 'Contents' },
  { option: 'fee-schedules', table: 'FeeSchedules' },
  { option: 'jobs', table: 'Jobs' },
  { option: 'webhooks', table: 'Webhooks' },
] as const

function describeRestored(restored: readonly ({ readonly table: string } & CopyCounts)[], isDryRun: boolean): string {
  const written = isDryRun ? 'to write' : 'written'
  const rows = restored.map(({ lacking, there, leftOut, ...row }) => ({
    ...row,
    [written]: lacking,
    'there already': there,
    'left out': leftOut,
  }))
  const table = formatTable(['table', written, 'there already', 'left out', 'from'], rows)
  const isLeftOut = restored.some(({ leftOut }) => leftOut > 0)
  const note =
    'left out: completed searches whose results are not in the bucket of the stage; clients get 404 not_found for them'
  return isLeftOut ? `${table}\n${note}` : table
}

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      ...texts('stage', ...tables.map(({ option }) => option)),
      'dry-run': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  if (values.stage === undefined) throw new UsageError('name the deployed stage that gets the items with --stage')
  const stage = readStageName(values.stage)
  const outputs = await readOutputs(stage)
  const names = readTables(outputs)
  const client = connectForCopies()
  const copies = tables.flatMap(({ option, table }) => {
    const from = values[option]
    return from === undefined ? [] : [{ option, from, to: names[table], schema: serviceTables[table] }]
  })
  if (copies.length === 0)
    throw new UsageError('name at least one table: --access, --contents, --fee-schedules, --jobs or --webhooks')
  for (const { option, from, schema } of copies) await requireFit(option, from, schema)

  const isDryRun = values['dry-run']
  const restored = await copyTables(copies, requireOutput(outputs, 'ResultsBucket'))
  const text = describeRestored(restored, isDryRun)
  printAnswer({ facts: { restored, dryRun: isDryRun }, text, wrote: !isDryRun }, { stage }, values.json)

  async function copyTables(pairs: typeof copies, bucket: string) {
    using progress = openProgress()
    using _ = explainStop(
      isDryRun ? 'stopped' : 'stopped; what is written stays: run the same command again for the rest',
    )
    const restored: ({ readonly table: string; readonly from: string } & CopyCounts)[] = []
    for (const { option, from, to, schema } of pairs) {
      const keys = [schema.partitionKey, schema.sortKey] as const
      const mayCopy = option === 'jobs' ? checkResults({ client, jobsTable: from, bucket }) : undefined
      const counts = await copyItems(client, { from, to, keys, isDryRun, mayCopy }, (seen) =>
        progress.show(() => `  ${option}: ${countOf(seen.lacking + seen.there + seen.leftOut, 'item')}`),
      )
      restored.push({ table: option, from, ...counts })
    }
    return restored
  }

  /** Refuses a table that is not one of these, is not ready, or is in use: its keys would work on two stages. */
  async function requireFit(option: string, from: string, { partitionKey, sortKey, indexes = [] }: TableSchema) {
    const form = await describeForm(client, from)
    const fail = (fault: string) => new CommandFailed(`the table ${from} (--${option}) ${fault}`)
    if (form === undefined) throw fail('does not exist in this account and region')
    const expectedNames = [partitionKey, sortKey, ...indexes.map((index) => index.name).sort()]
    if (form.names.join() !== expectedNames.join())
      throw fail(
        `is a table of another kind: it has the keys and indexes ${form.names.join(', ')}, not ${expectedNames.join(', ')}`,
      )
    if (!form.isActive) throw fail('is not active yet: wait until it is restored')
    const [, owner] = /^SearchService-(.+)-Tables/.exec(from) ?? []
    const used = Object.values((owner && (await findOutputs(owner))) || {})
    if (used.includes(from)) throw fail(`is in use by the deployed stage ${owner}: name a kept or a restored one`)
  }
})
