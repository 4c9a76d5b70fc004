import { findNameFault, normaliseName } from '../../contract/texts/names.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { CatalogueEntry, EntryState, RelationState } from '../catalogue/catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { formatPlanId, keyOfPlanIds, readPlanId, showPlanIds } from '../catalogue/plan-id.ts'
import { openRows, type ResultTable } from './ports.ts'

/**
 * Reads an operator's own relation `fee_schedules`, with a row per payer and plan, and plans the changes of the
 * catalogue.
 */

/** Reads all columns, because a statement must not name optional ones that are missing. */
export const feeSchedulesStatement = 'SELECT * FROM fee_schedules'

export interface RelationEntry extends FeeSchedule {
  /** All plan ids, formatted by `formatPlanId`, sorted and distinct. */
  readonly planIds: readonly string[]
  readonly lastUpdatedOn?: string
}

/**
 * Reads the rows of `fee_schedules`. Names are normalised like those of requests, and rows of the same fee schedule are
 * merged: all their plan ids, the latest of their dates.
 *
 * @returns the fee schedules, and the number of rows without a usable payer or plan
 * @throws FeeSchedulesUnfit if the relation has no column payer or plan
 */
export function readFeeSchedules(table: ResultTable) {
  if (!['payer', 'plan'].every((column) => table.columns.some(({ name }) => name === column)))
    throw new FeeSchedulesUnfit('fee_schedules must have the columns payer and plan')
  const merged = new Map<string, Merged>()
  let unfit = 0
  for (const readColumn of openRows(table)) {
    const feeSchedule = readNames(readColumn('payer'), readColumn('plan'))
    if (feeSchedule === undefined) {
      unfit += 1
      continue
    }
    const key = feeScheduleKey(feeSchedule)
    const planId = readPlanId(readColumn('plan_id'), readColumn('plan_id_type'))
    const entry: Merged = merged.get(key) ?? { ...feeSchedule, ids: new Set() }
    merged.set(key, entry)
    if (planId !== undefined) entry.ids.add(formatPlanId(planId))
    const updatedOn = readDate(readColumn('last_updated_on'))
    if (updatedOn !== undefined && updatedOn > (entry.lastUpdatedOn ?? '')) entry.lastUpdatedOn = updatedOn
  }
  const entries: readonly RelationEntry[] = [...merged.values()].map(({ ids, ...entry }) => ({
    ...entry,
    planIds: [...ids].sort(),
  }))
  return { entries, unfit }
}

/** Rows of one fee schedule that have been merged; there may be a hundred thousand of them. */
interface Merged extends FeeSchedule {
  readonly ids: Set<string>
  lastUpdatedOn?: string
}

/** The service cannot use the relation `fee_schedules`. */
export class FeeSchedulesUnfit extends PrintableError {
  override readonly name = 'FeeSchedulesUnfit'
}

function readNames(payer = '', plan = ''): FeeSchedule | undefined {
  if (findNameFault(payer) !== undefined || findNameFault(plan) !== undefined) return undefined
  return { payer: normaliseName(payer), plan: normaliseName(plan) }
}

/** A date, or the date of a timestamp; anything else is unknown. */
const readDate = (text = '') => /^\d{4}-\d{2}-\d{2}(?=$|[ T])/.exec(text)?.[0]

/**
 * Plans the writes that make the catalogue match the relation: new and changed entries, each with the entry that it
 * replaces, and removals. Entries of loads are not changed.
 */
export function planCatalogueChanges(catalogue: readonly CatalogueEntry[], relation: readonly RelationEntry[]) {
  const catalogued = byKey(catalogue)
  const relationKeys = new Set(relation.map(feeScheduleKey))
  return {
    replacements: relation.flatMap((entry) => {
      const current = catalogued.get(feeScheduleKey(entry))
      if (current !== undefined && (isLoaded(current) || saysTheSame(current.state, entry))) return []
      return { entry, current }
    }),
    removals: catalogue.filter((entry) => !isLoaded(entry) && !relationKeys.has(feeScheduleKey(entry))),
  }
}

/** Returns the state of the catalogue's entry for a fee schedule of the relation. */
export function relationState({ planIds, lastUpdatedOn }: RelationEntry): RelationState {
  return {
    status: 'relation',
    ...showPlanIds(planIds),
    planIdsKey: keyOfPlanIds(planIds),
    ...(lastUpdatedOn !== undefined && { lastUpdatedOn }),
    partial: false,
  }
}

const isLoaded = ({ state }: CatalogueEntry) => state.status !== 'relation'

const saysTheSame = (state: EntryState, entry: RelationEntry) =>
  state.status === 'relation' && state.lastUpdatedOn === entry.lastUpdatedOn && hasSameIds(state, entry)

/** True if the index leads to an entry by all plan ids of the relation. */
export const hasSameIds = (state: EntryState | undefined, { planIds }: RelationEntry): boolean =>
  state?.status === 'relation' && state.planIdsKey === keyOfPlanIds(planIds)
