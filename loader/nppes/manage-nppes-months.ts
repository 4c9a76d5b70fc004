import type { ContentsAdmin } from '../../core/catalogue/ports.ts'
import type { NppesMonth, NppesMonths } from '../../core/nppes/nppes-months.ts'
import { keptSeconds } from '../../core/switching/clean-warehouse.ts'
import { addSeconds, type Clock } from '../../core/time.ts'
import { nppesMonthUnit, nppesTables } from '../../schema/columns/providers-table.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { WarehouseFolder } from '../publish/warehouse/warehouse-folder.ts'

export interface NppesMonthDeps {
  readonly warehouse: Pick<WarehouseFolder, 'openWorkspace' | 'list' | 'remove'>
  readonly contents: Pick<ContentsAdmin, 'readNppesMonths' | 'replaceNppesMonths'>
  readonly newId: () => string
  readonly now: Clock
}

type Replaced = NppesMonths['replaced']
type Change = (active: NppesMonth | undefined, replaced: Replaced) => Omit<NppesMonths, 'version'>

/** A change that is impossible with the stored months. */
export class NppesMonthsUnchanged extends PrintableError {}

const maxAttempts = 10

/**
 * Changes the active month in one conditional write. If another command writes first, the change is made again to the
 * months that it wrote.
 *
 * @param change gets the active month, and the months for a rollback, which begin with the active one
 */
export async function changeNppesMonths(
  { contents, newId, now }: Omit<NppesMonthDeps, 'warehouse'>,
  change: Change,
): Promise<NppesMonths> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { version, active, replaced = [] } = (await contents.readNppesMonths()) ?? {}
    const rollbackMonths = active === undefined ? replaced : [{ ...active, replacedAt: now() }, ...replaced]
    const next = { version: newId(), ...change(active, rollbackMonths) }
    if ((await contents.replaceNppesMonths(next, version)) === 'written') return next
    // The SDK repeats a write whose answer was lost.
    if ((await contents.readNppesMonths())?.version === next.version) return next
  }
  throw new NppesMonthsUnchanged('other commands change the months of NPPES at the same time: run this one again')
}

/** Brings back the month that was replaced or removed last; a second rollback undoes the first. */
export const rollBackNppesMonth = (deps: NppesMonthDeps): Promise<NppesMonths> =>
  changeNppesMonths(deps, (active, kept) => {
    const former = active === undefined ? kept[0] : kept[1]
    if (former === undefined) throw new NppesMonthsUnchanged('there is no month of NPPES to go back to')
    const { replacedAt: _, ...back } = former
    return { active: back, replaced: kept.filter((each) => each !== former) }
  })

/** New searches know no names and places any more, until a rollback or the next load. */
export const removeNppesMonth = (deps: NppesMonthDeps): Promise<NppesMonths> =>
  changeNppesMonths(deps, (active, replaced) => {
    if (active === undefined) throw new NppesMonthsUnchanged('no month of NPPES is active')
    return { replaced }
  })

/** Deletes months that were replaced over a day ago, and files of killed loads. @returns number of months and loads */
export async function cleanNppesMonths(deps: NppesMonthDeps): Promise<number> {
  const { warehouse, contents, now } = deps
  const before = addSeconds(now(), -keptSeconds)
  const units = await warehouse.list(nppesTables)
  const isKept = ({ replacedAt }: Replaced[number]) => replacedAt >= before
  let months = await contents.readNppesMonths()
  // Months are forgotten before their files are deleted, so that a rollback never brings back a deleted month.
  if (months && !months.replaced.every(isKept))
    months = await changeNppesMonths(deps, (active, kept) => ({
      ...(active && { active }),
      replaced: kept.slice(active === undefined ? 0 : 1).filter(isKept),
    }))
  const monthIds = new Set([months?.active, ...(months?.replaced ?? [])].map((each) => each?.nppesMonthId))
  const old = units.filter(({ id, touchedAt }) => touchedAt < before && !monthIds.has(id))
  await warehouse.remove(old.map(({ id }) => nppesMonthUnit(id)))
  return old.length
}
