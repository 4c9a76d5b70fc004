import { normaliseName } from '../../contract/texts/names.ts'
import { at } from '../../schema/at.ts'
import { ratesRelation } from '../../schema/columns/rates.ts'
import { allColumns } from '../../schema/columns/relation-columns.ts'
import { byKey, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { selectStatement } from '../search/statement.ts'
import { checkRates, checkStageColumns, type Difference, different, makeProbe, wrong } from './check-relation.ts'
import { FeeSchedulesUnfit, feeSchedulesStatement, readFeeSchedules } from './fee-schedules-relation.ts'
import { openRows, type ResultTable } from './ports.ts'
import { type ReadRelation, RelationUnread, readRelation } from './read-relation.ts'

/** A stage's description of the checked warehouse. */
export interface StageSettings {
  /** The columns that it names. @default - all columns of the relation */
  readonly columns?: readonly string[] | undefined
  /** True if searches use `fee_schedules`. */
  readonly needsFeeSchedules: boolean
}

export const sampleRows = 10_000

const maxNamed = 5

/**
 * Lists the differences between an operator's own relations and those that the service reads, and runs a search for the
 * first row.
 *
 * @throws RelationUnread if `rates` cannot be read
 */
export async function checkWarehouse(deps: ReadRelation, settings: StageSettings): Promise<readonly Difference[]> {
  const sample = await readRelation(deps, `SELECT * FROM ${ratesRelation} LIMIT ${sampleRows}`)
  const differences = [
    ...checkRates(sample),
    ...(settings.columns === undefined ? [] : checkStageColumns(sample, settings.columns)),
  ]
  return [...differences, ...(await checkSearch(deps, sample)), ...(await checkFeeSchedules(deps, sample, settings))]
}

/** Only Athena knows every type that it cannot cast and every text that is not a number. */
async function checkSearch(deps: ReadRelation, sample: ResultTable): Promise<readonly Difference[]> {
  const relationColumns = sample.columns.map(({ name }) => name)
  const columns = allColumns.filter((name) => relationColumns.includes(name))
  const probe = makeProbe(sample)
  if (probe === undefined) return []
  return orFault(
    async () => {
      await readRelation(deps, selectStatement(probe, { columns }))
      return []
    },
    (reason) => [wrong(`a search for the first row fails: ${reason}`)],
  )
}

async function checkFeeSchedules(
  deps: ReadRelation,
  sample: ResultTable,
  { needsFeeSchedules }: StageSettings,
): Promise<readonly Difference[]> {
  return orFault(
    async () => compareFeeSchedules(await readRelation(deps, feeSchedulesStatement), sample),
    (reason) => [(needsFeeSchedules ? wrong : different)(`fee_schedules cannot be read: ${reason}`)],
  )
}

function compareFeeSchedules(table: ResultTable, sample: ResultTable): readonly Difference[] {
  const { entries, unfit } = readFeeSchedules(table)
  const catalogued = new Set(entries.map(feeScheduleKey))
  const priced = openRows(sample).map((read) => ({
    payer: normaliseName(read('payer') ?? ''),
    plan: normaliseName(read('plan') ?? ''),
  }))
  const lacking = byKey(priced.filter((pair) => !catalogued.has(feeScheduleKey(pair))))
  const names = [...lacking.values()].slice(0, maxNamed).map(({ payer, plan }) => `${payer} / ${plan}`)
  return [
    ...(entries.length === 0 ? [wrong('fee_schedules has no fee schedules: the catalogue is not changed')] : []),
    ...(unfit === 0 ? [] : [different(`fee_schedules names no payer or plan in ${unfit} rows: they are skipped`)]),
    ...(lacking.size === 0
      ? []
      : [different(`fee_schedules lacks ${lacking.size} that rates has, no search finds them: ${names.join(', ')}`)]),
  ]
}

/** Returns the differences that were read, or the fault that the relation cannot be read. */
function orFault(
  read: () => Promise<readonly Difference[]>,
  describe: (reason: string) => readonly Difference[],
): Promise<readonly Difference[]> {
  return read().catch((error: unknown) => {
    if (error instanceof RelationUnread || error instanceof FeeSchedulesUnfit)
      return describe(at(error.message.split('\n'), 0))
    throw error
  })
}
