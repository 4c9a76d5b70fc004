import { Duration } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { Route } from '../../contract/routes.ts'
import { routes } from '../../contract/routes.ts'
import type { ServiceFunctionProps, Use } from '../functions/service-function.ts'
import { ServiceFunction } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'

/** Adds the functions of the API's calls, and routes the API to them. */
export function addCalls(scope: Construct, parts: ServiceParts, startSearches: Use): readonly ServiceFunction[] {
  const definitions = defineCalls(parts, startSearches)
  const calls = routes.map((route) => {
    const { uses, ...definition } = definitions[route.operation]
    const access = route.auth === 'key' ? [parts.tables.readKeys] : []
    const call = new ServiceFunction(scope, route.operation, { ...definition, uses: [...access, ...uses] })
    parts.api.addRoute(route, call)
    return call
  })
  parts.api.routeEverythingElse(new ServiceFunction(scope, 'not-found', { uses: [] }))
  return calls
}

/** What each call may use, besides the keys that its route requires. */
function defineCalls(
  { api, tables, results, queries, reportEnds }: ServiceParts,
  startSearches: Use,
): Record<Route['operation'], ServiceFunctionProps> {
  const { buildUrls } = api
  return {
    'create-search': { uses: [tables.useJobs('BatchGetItem', 'PutItem'), startSearches, buildUrls] },
    'get-search': { uses: [tables.useJobs('BatchGetItem'), results.signDownloads, buildUrls] },
    'cancel-search': {
      uses: [tables.useJobs('BatchGetItem', 'UpdateItem'), queries.stopQueries, reportEnds, buildUrls],
    },
    'delete-search': {
      uses: [tables.useJobs('BatchGetItem', 'DeleteItem'), results.removeResults],
      // A result may have a thousand files, and more if attempts failed.
      timeout: Duration.seconds(25),
    },
    'list-fee-schedules': { uses: [tables.useCatalogue('BatchGetItem', 'Query', 'Scan')] },
  }
}
