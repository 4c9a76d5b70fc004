import type { Use } from '../functions/service-function.ts'
import type { GrantOnQueries } from './query-rights.ts'
import {
  grantReadManifests,
  grantReadRows,
  grantRunQueries,
  grantStopQueries,
  grantWatchQueries,
} from './query-rights.ts'
import type { WarehouseDescription } from './warehouse-description.ts'

/** What functions may do with queries over the stage's warehouse. */
export interface QueryUses {
  readonly runQueries: Use
  readonly watchQueries: Use
  readonly stopQueries: Use
  /** Reads the rows of queries that `runQueries` started. */
  readonly readRows: Use
  /** Reads the manifests that queries leave in their result location. */
  readonly readManifests: Use
}

/** @param athenaEndpoint URL of another Athena, for an emulator of AWS that has none */
export function describeQueryUses(warehouse: WarehouseDescription, athenaEndpoint: string | undefined): QueryUses {
  const ofWarehouse =
    (grant: GrantOnQueries): Use =>
    (user) => {
      // Read by the AWS SDK itself.
      if (athenaEndpoint !== undefined) user.addEnvironment('AWS_ENDPOINT_URL_ATHENA', athenaEndpoint)
      grant(user, warehouse)
    }
  return {
    runQueries: (user) => {
      user.setVariables({ WORKGROUP: warehouse.workGroup, DATABASE: warehouse.database })
      ofWarehouse(grantRunQueries)(user)
    },
    watchQueries: ofWarehouse(grantWatchQueries),
    stopQueries: ofWarehouse(grantStopQueries),
    readRows: ofWarehouse(grantReadRows),
    readManifests: (user) => grantReadManifests(user, warehouse),
  }
}
