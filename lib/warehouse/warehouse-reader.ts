import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { grantReadRows, grantRunQueries, grantWatchQueries } from './query-rights.ts'
import type { WarehouseDescription } from './warehouse-description.ts'

/**
 * A role with the read permissions of searches, for `npm run check-warehouse`: an operator's own permissions could read
 * what searches may not. Any identity of the account whose policies allow it can assume the role.
 */
export class WarehouseReader extends Role {
  constructor(scope: Construct, id: string, { warehouse }: { readonly warehouse: WarehouseDescription }) {
    super(scope, id, {
      description: 'May read what searches may read of the warehouse (npm run check-warehouse)',
      assumedBy: new AccountRootPrincipal(),
    })
    grantRunQueries(this, warehouse)
    grantWatchQueries(this, warehouse)
    grantReadRows(this, warehouse)
  }
}
