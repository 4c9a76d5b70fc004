import type { ServiceFunction, Use } from '../functions/service-function.ts'
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
export type QueryUses = ReturnType<typeof describeQueryUses>

/** @param athenaEndpoint URL of another Athena, for an emulator of AWS that has none */
export function describeQueryUses(warehouse: WarehouseDescription, athenaEndpoint: string | undefined) {
  const ofWarehouse =
    (grant: GrantOnQueries): Use =>
    (user) => {
      // Read by the AWS SDK itself.
      if (athenaEndpoint !== undefined) user.addEnvironment('AWS_ENDPOINT_URL_ATHENA', athenaEndpoint)
      grant(user, warehouse)
    }
  return {
    runQueries: (user: ServiceFunction) => {
      user.setVariables({ WORKGROUP: warehouse.workGroup, DATABASE: warehouse.database })
      ofWarehouse(grantRunQueries)(user)
    },
    watchQueries: ofWarehouse(grantWatchQueries),
    stopQueries: ofWarehouse(grantStopQueries),
    /** Reads the rows of queries that `runQueries` started. */
    readRows: ofWarehouse(grantReadRows),
    /** Reads the manifests that queries leave in their result location. */
    readManifests: (user: ServiceFunction) => grantReadManifests(user, warehouse),
  }
}
