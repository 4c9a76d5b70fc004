import type { ContentsAdmin } from '../core/catalogue/ports.ts'
import type { Reference, References } from '../core/loads/reference.ts'
import { keptSeconds } from '../core/switching/clean-warehouse.ts'
import { addSeconds, type Clock } from '../core/time.ts'
import type { WarehouseFolder } from '../loader/publish/warehouse/warehouse-folder.ts'
import { providersTable, referencePart } from '../schema/columns/providers-table.ts'
import { PrintableError } from '../schema/printable-error.ts'

export interface ReferenceDeps {
  readonly warehouse: Pick<WarehouseFolder, 'openWorkspace' | 'list' | 'remove'>
  readonly contents: Pick<ContentsAdmin, 'readReferences' | 'replaceReferences'>
  readonly newId: () => string
  readonly now: Clock
}

type Replaced = References['replaced']
type Change = (active: Reference | undefined, replaced: Replaced) => Omit<References, 'version'>

/** What was asked for cannot be done with the months that there are. */
export class ReferenceUnchanged extends PrintableError {}

const maxAttempts = 10

/**
 * Changes which month is active in one conditional write; another that comes between is read, and the change made again.
 *
 * @param change gets the months that are kept, the one that is active now among them
 */
export async function changeReferences(
  { contents, newId, now }: Omit<ReferenceDeps, 'warehouse'>,
  change: Change,
): Promise<References> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { version, active, replaced = [] } = (await contents.readReferences()) ?? {}
    const kept = active === undefined ? replaced : [{ ...active, replacedAt: now() }, ...replaced]
    const next = { version: newId(), ...change(active, kept) }
    if ((await contents.replaceReferences(next, version)) === 'written') return next
    // The SDK repeats a write whose answer was lost.
    if ((await contents.readReferences())?.version === next.version) return next
  }
  throw new ReferenceUnchanged('other commands change the months of NPPES at the same time: run this one again')
}

/** Brings back the month that was replaced or removed last; a second rollback undoes the first. */
export const rollBackReference = (deps: ReferenceDeps): Promise<References> =>
  changeReferences(deps, (active, kept) => {
    const former = active === undefined ? kept[0] : kept[1]
    if (former === undefined) throw new ReferenceUnchanged('there is no month of NPPES to go back to')
    const { replacedAt: _, ...back } = former
    return { active: back, replaced: kept.filter((each) => each !== former) }
  })

/** New searches know no names and places any more, until a rollback or the next load. */
export const removeReference = (deps: ReferenceDeps): Promise<References> =>
  changeReferences(deps, (active, replaced) => {
    if (active === undefined) throw new ReferenceUnchanged('no month of NPPES is active')
    return { replaced }
  })

/** Deletes what was replaced over a day ago, and what killed loads left. Returns the number of files. */
export async function cleanReferences(deps: ReferenceDeps): Promise<number> {
  const { warehouse, contents, now } = deps
  const before = addSeconds(now(), -keptSeconds)
  const stored = await warehouse.list([providersTable])
  const isKept = ({ replacedAt }: Replaced[number]) => replacedAt >= before
  let references = await contents.readReferences()
  // Forgotten first: what a rollback may bring back is never deleted.
  if (references && !references.replaced.every(isKept))
    references = await changeReferences(deps, (active, kept) => ({
      ...(active && { active }),
      replaced: kept.slice(active === undefined ? 0 : 1).filter(isKept),
    }))
  const known = new Set([references?.active, ...(references?.replaced ?? [])].map((each) => each?.referenceId))
  const old = stored.filter(({ id, touchedAt }) => touchedAt < before && !known.has(id))
  await warehouse.remove(old.map(({ id }) => referencePart(id)))
  return old.length
}
