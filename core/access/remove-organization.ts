import { resultsPrefix } from '../../schema/results-prefix.ts'
import { accessItem, jobItem } from '../../schema/tables.ts'
import type { ResultFiles } from '../workflow/ports.ts'
import type { AccessAdmin, OwnedItems } from './ports.ts'

export interface RemoveOrganization {
  readonly access: Pick<AccessAdmin, 'setActive'>
  /** Items of the access table, the jobs table and the webhooks table. */
  readonly keys: OwnedItems
  readonly jobs: OwnedItems
  readonly webhooks: OwnedItems
  readonly resultFiles: Pick<ResultFiles, 'removeBelow'>
}

/** What was deleted; with unended searches, nothing. */
export interface Removal {
  readonly unended: number
  readonly searches: number
  readonly keys: number
}

/**
 * Deletes an organization with its searches, their requests and results, its usage, webhooks and keys. It is deactivated
 * first, so that it creates nothing more. Its own item goes last: a removal that was interrupted can be repeated.
 *
 * @returns undefined if there is no such organization
 */
export async function removeOrganization(deps: RemoveOrganization, orgId: string): Promise<Removal | undefined> {
  if (!(await deps.access.setActive(orgId, false))) return undefined
  const owned = await deps.jobs.list(orgId)
  const unended = owned.filter(({ isUnended }) => isUnended).length
  if (unended > 0) return { unended, searches: 0, keys: 0 }
  await deps.resultFiles.removeBelow(`${resultsPrefix}${orgId}/`)
  await deps.jobs.remove(orgId, owned)
  await deps.webhooks.remove(orgId, await deps.webhooks.list(orgId))
  const [last, keys] = [{ item: accessItem.organization }, await deps.keys.list(orgId)]
  const others = keys.filter(({ item }) => item !== last.item)
  await deps.keys.remove(orgId, others)
  await deps.keys.remove(orgId, [last])
  const searches = owned.filter(({ item }) => item.startsWith(jobItem.job('')))
  return { unended, searches: searches.length, keys: others.length }
}
