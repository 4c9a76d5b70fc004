import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { UsageError } from '../../bin/command/errors.ts'
import { connectCatalogue } from '../../bin/command/local-access.ts'
import { newOpaqueId } from '../../bin/command/opaque-id.ts'
import { readOptions } from '../../bin/command/options.ts'
import { formatTable } from '../../bin/command/table.ts'
import { feeSchedulePages } from '../../contract/limits.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import { findFeeSchedules } from '../../core/catalogue/finding/find-fee-schedules.ts'
import type { Wanted } from '../../core/catalogue/finding/look-up-words.ts'
import { listSearchable } from '../../core/catalogue/list-catalogue.ts'
import type { CatalogueAdmin } from '../../core/catalogue/ports.ts'
import { cleanWarehouse } from '../../loader/publish/catalogue/clean-warehouse.ts'
import { rollBackFeeSchedule } from '../../loader/publish/catalogue/manage-fee-schedules.ts'
import type { SwitchDeps } from '../../loader/publish/catalogue/plan-changes.ts'
import { findUndoable, rollBackLoad } from '../../loader/publish/catalogue/roll-back-load.ts'
import { switchFeeSchedules } from '../../loader/publish/catalogue/switch-fee-schedules.ts'
import { openWarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import type { LocalService } from '../../local/service.ts'
import { withService } from '../with-service.ts'
import { describeFiles, describeMonth, payer, type Shape, shapes } from './months.ts'

const kinds = ['Get', 'Query', 'Scan', 'Put', 'Update', 'Delete'] as const

/** The default size of the API's pages. */
const { default: limit } = feeSchedulePages

type Count = Record<(typeof kinds)[number], number>

/**
 * Switches months of many plans on the local service, kills a switch, rolls back, cleans and lists, and prints the
 * requests to DynamoDB and the seconds of each.
 */
export async function benchCatalogue(args: readonly string[]): Promise<void> {
  const { values } = readOptions({
    args: [...args],
    options: { plans: { type: 'string', default: '100000' }, shape: { type: 'string' } },
  })
  const plans = Number(values.plans)
  if (!Number.isInteger(plans) || plans < 1) throw new UsageError(`--plans must be a number, not "${values.plans}"`)
  const known: Readonly<Record<string, readonly [Shape, number]>> = {
    ...Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, [shape, plans] as const])),
    files: [describeFiles(10_000), 1],
  }
  const chosen = values.shape === undefined ? Object.keys(known) : [values.shape]
  for (const name of chosen) {
    const measured = Object.hasOwn(known, name) ? known[name] : undefined
    if (measured === undefined) throw new UsageError(`--shape must be one of ${Object.keys(known).join(', ')}`)
    await measureShape(...measured)
  }
}

function measureShape(shape: Shape, plans: number): Promise<void> {
  return withService(async (service) => {
    process.stdout.write(`\n${plans} × ${shape.about}\n\n`)
    const rows = await measure(service, shape, plans)
    process.stdout.write(`${formatTable(['operation', ...kinds, 'seconds', 'MB'], rows)}\n`)
  })
}

async function measure(service: LocalService, shape: Shape, plans: number) {
  const dynamo = connectDynamo()
  const count: Count = { Get: 0, Query: 0, Scan: 0, Put: 0, Update: 0, Delete: 0 }
  dynamo.middlewareStack.add(
    (next, context) => (call) => {
      const kind = kinds.find((each) => context.commandName?.includes(each))
      if (kind !== undefined) count[kind] += 1
      return next(call)
    },
    { step: 'finalizeRequest', priority: 'low' },
  )
  const clock = { now: Date.now() }
  const deps: SwitchDeps = {
    warehouse: openWarehouseFolder(service.warehouseFolder),
    ...connectCatalogue(service, dynamo),
    newId: newOpaqueId,
    now: () => new Date(clock.now),
  }
  const rows: Record<string, string | number>[] = []
  const note = async (operation: string, work: () => Promise<unknown>) => {
    for (const kind of kinds) count[kind] = 0
    const start = performance.now()
    await work()
    const seconds = Number(((performance.now() - start) / 1000).toFixed(1))
    rows.push({ operation, ...count, seconds, MB: Math.round(process.memoryUsage.rss() / 1e6) })
    clock.now += 1000
  }
  const switchMonth = async (month: string, killed?: number) => {
    const changes = describeMonth(shape, plans, month)
    await deps.contents.putSources([...changes.sources.values()], deps.now())
    const catalogue = killed === undefined ? deps.catalogue : killAfter(killed, deps.catalogue)
    const work = switchFeeSchedules(changes, { ...deps, catalogue })
    if (killed === undefined) await work
    else await work.catch(() => undefined)
  }
  await note('record and switch a first month', () => switchMonth('a'))
  await note('switch it again, unchanged', () => switchMonth('a'))
  await note('a second month, killed after half of its writes', () => switchMonth('b', plans))
  await note('resume it', () => switchMonth('b'))
  await note('roll back that load', async () => rollBackLoad(await findUndoable('b', deps), deps))
  const name = { payer, plan: shape.planOf(0) }
  await note(`roll back ${name.plan}`, () => rollBackFeeSchedule(name, deps))
  const { catalogue } = deps
  await note('list everything', () => listEverything(catalogue))
  await note('list a page', () => listSearchable(catalogue, { limit }))
  const queries: readonly Wanted[] = [{ q: 'plan 9' }, { q: 'choice (ein 00009' }, { q: 'gold ppo' }, { q: 'harbor' }]
  const further: readonly Wanted[] = [
    { sponsor: 'acme foods' },
    { planId: '000000009' },
    { market: 'group' },
    { q: 'p' },
  ]
  for (const wanted of [...queries, ...further])
    await note(`find a page of ${JSON.stringify(wanted)}`, () => findFeeSchedules(catalogue, { ...wanted, limit }))
  clock.now += 25 * 3_600_000
  await note('clean', () => cleanWarehouse(deps))
  return rows
}

/** A catalogue whose process is killed after so many writes. */
function killAfter(writes: number, catalogue: CatalogueAdmin): CatalogueAdmin {
  let left = writes
  return {
    ...catalogue,
    replace: async (...entry) => {
      if (left-- <= 0) throw new Error('killed')
      return catalogue.replace(...entry)
    },
  }
}

/** Reads all pages, as `fee-schedules list` does. */
async function listEverything(catalogue: CatalogueAdmin): Promise<void> {
  let after: FeeSchedule | undefined
  do after = (await listSearchable(catalogue, { limit: 1000, ...(after && { after }) })).next
  while (after !== undefined)
}
