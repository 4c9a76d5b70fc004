import { accessItem, jobItem } from '../../schema/tables.ts'
import { resultsPrefix } from '../../schema/workflow-step.ts'
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

/** Counts of deleted items; all are 0 while the organization has unended searches. */
export interface Removal {
  readonly unended: number
  readonly searches: number
  readonly keys: number
}

/**
 * Deletes an organization with its searches, their requests and results, its usage, webhooks and keys. The organization
 * is deactivated first, so that it creates nothing more. Its item is deleted last, so that an interrupted removal can
 * be repeated.
 *
 * @returns undefined if there is no such organization
 */
export async function removeOrganization(deps: RemoveOrganization, orgId: string): Promise<Removal | undefined> {
  if (!(await deps.access.setActive(orgId, false))) return undefined
  const jobItems = await deps.jobs.list(orgId)
  const unended = jobItems.filter(({ isUnended }) => isUnended).length
  if (unended > 0) return { unended, searches: 0, keys: 0 }
  await deps.resultFiles.removeBelow(`${resultsPrefix}${orgId}/`)
  await deps.jobs.remove(orgId, jobItems)
  await deps.webhooks.remove(orgId, await deps.webhooks.list(orgId))
  const organization = { item: accessItem.organization }
  const keys = (await deps.keys.list(orgId)).filter(({ item }) => item !== organization.item)
  await deps.keys.remove(orgId, keys)
  await deps.keys.remove(orgId, [organization])
  const searches = jobItems.filter(({ item }) => item.startsWith(jobItem.job('')))
  return { unended, searches: searches.length, keys: keys.length }
}
