import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { type CataloguedWarehouse, grantReadRows, grantRunQueries, grantWatchQueries } from './query-uses.ts'

/**
 * Adds a role with the read permissions of searches for `npm run check-warehouse`, because an operator may be allowed
 * to read more than searches. Any identity of the account whose policies allow it can assume the role.
 */
export function addWarehouseReader(scope: Construct, warehouse: CataloguedWarehouse): Role {
  const reader = new Role(scope, 'WarehouseReader', {
    description: 'Has the read permissions of searches (npm run check-warehouse)',
    assumedBy: new AccountRootPrincipal(),
  })
  for (const grant of [grantRunQueries, grantWatchQueries, grantReadRows]) grant(reader, warehouse)
  return reader
}
