import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import type { WarehouseDescription } from './warehouse-description.ts'
import { grantReadRows, grantRunQueries, grantWatchQueries } from './warehouse-description.ts'

/**
 * What searches may read of an operator's own warehouse, as a role for `npm run check-warehouse`: asked with an operator's
 * own permissions, everything might be readable that is denied to searches. Any identity of the account may assume it
 * whose own policies allow that.
 */
export class WarehouseReader extends Role {
  constructor(scope: Construct, id: string, { warehouse }: { readonly warehouse: WarehouseDescription }) {
    super(scope, id, {
      description: 'Reads what searches may read of the warehouse (npm run check-warehouse)',
      assumedBy: new AccountRootPrincipal(),
    })
    grantRunQueries(this, this, warehouse)
    grantWatchQueries(this, this, warehouse)
    grantReadRows(this, this, warehouse)
  }
}
