import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoOwnedItems } from '../../adapters/dynamodb/dynamo-owned-items.ts'
import { commandRequests } from '../../adapters/request-limits.ts'
import { createS3ResultFiles } from '../../adapters/s3/s3-result-files.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { removeOrganization } from '../../core/access/remove-organization.ts'
import type { OfTables } from '../../schema/tables.ts'
import type { Answer } from '../command/output.ts'

/** Where a service keeps what organizations have. */
export interface OwnedStores {
  readonly tables: Pick<OfTables<string>, 'Access' | 'Jobs' | 'Webhooks'>
  /** Lists the bucket of results; for a local service, all its buckets. */
  readonly listBuckets: () => readonly string[]
}

const remains =
  'Kept until they expire: logs, history of queries, recovery points of the tables, and events that were delivered (docs/operations.md, "Retention")'

/** Deletes an organization with everything that it has. */
export async function removeOrganizationFrom(
  ownedStores: OwnedStores | undefined,
  [orgId, ...rest]: readonly string[],
  isSure: boolean,
): Promise<Answer> {
  if (orgId === undefined || rest.length > 0) throw new UsageError('remove-organization takes one organization id')
  if (ownedStores === undefined) throw new UsageError('remove-organization takes --data or --stage, not --table')
  if (!isSure)
    throw new UsageError(
      'remove-organization deletes the keys, searches and results of the organization for good: confirm with --yes',
    )
  const dynamo = connectDynamo(commandRequests)
  const { Access, Jobs, Webhooks } = ownedStores.tables
  const stores = ownedStores.listBuckets().map((bucket) => createS3ResultFiles(bucket))
  const removal = await removeOrganization(
    {
      access: createDynamoAccess(dynamo, Access),
      keys: createDynamoOwnedItems(dynamo, Access),
      jobs: createDynamoOwnedItems(dynamo, Jobs),
      webhooks: createDynamoOwnedItems(dynamo, Webhooks),
      resultFiles: {
        removeBelow: async (prefix) => {
          for (const store of stores) await store.removeBelow(prefix)
        },
      },
    },
    orgId,
  )
  if (removal === undefined) throw new CommandFailed(`there is no organization ${orgId}`)
  const { unended, ...deleted } = removal
  if (unended > 0)
    throw new CommandFailed(
      `organization ${orgId} is deactivated now, but not deleted: ${unended} of its searches have not ended. Repeat the command once they have, or activate it and cancel them`,
    )
  const text = `deleted ${orgId}: keys ${deleted.keys}, searches with their requests and results ${deleted.searches}\n${remains}`
  return { facts: { orgId, deleted }, text, wrote: true }
}
