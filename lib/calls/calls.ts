import { Duration } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { mcpRoute } from '../../contract/mcp.ts'
import { pagePaths } from '../../contract/pages.ts'
import { operations, type Route, routes } from '../../contract/routes.ts'
import { writeRelationColumns } from '../../schema/columns/relation-columns.ts'
import { ServiceFunction, type ServiceFunctionProps, type Use, variables } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import { columnsOf } from '../stage/warehouse-description.ts'
import { readProviderFiles } from '../warehouse/provider-files.ts'

/** Adds the functions of the API's calls, and their routes. */
export function addCalls(scope: Construct, parts: ServiceParts, startSearches: Use): readonly ServiceFunction[] {
  const definitions = defineCalls(parts, startSearches)
  const calls = operations.map((operation) => {
    const { uses, ...definition } = definitions[operation]
    const callRoutes = routes.filter((route) => route.operation === operation)
    const access = callRoutes.some(({ auth }) => auth === 'key') ? [parts.tables.checkKeys] : []
    const call = new ServiceFunction(scope, operation, { ...definition, uses: [...access, ...uses] })
    for (const route of callRoutes) parts.api.addRoute(route, call)
    return call
  })
  const page = new ServiceFunction(scope, 'get-page', { uses: [parts.api.buildUrls, parts.results.name] })
  for (const path of pagePaths) parts.api.addRoute({ method: 'GET', path }, page)
  // Assistants call the API through it, so it needs no rights besides those of checking keys.
  const assistants = new ServiceFunction(scope, 'serve-assistants', {
    uses: [
      parts.tables.checkKeys,
      parts.api.buildUrls,
      variables({ UNKNOWN_SIZES: parts.stage.unknownSizes ? 'allowed' : 'refused' }),
    ],
    timeout: Duration.seconds(28),
  })
  parts.api.addRoute(mcpRoute, assistants)
  parts.api.routeEverythingElse(new ServiceFunction(scope, 'not-found', { uses: [] }))
  return [...calls, page, assistants]
}

/** Lists what each call may use, in addition to API keys. */
function defineCalls(
  { stage, api, tables, results, queries, reportEnds, warehouse }: ServiceParts,
  startSearches: Use,
): Record<Route['operation'], ServiceFunctionProps> {
  const { buildUrls } = api
  const limits = variables({ MAX_SEARCHES: stage.limits.searches, SEARCHES_PER_MINUTE: stage.limits.perMinute })
  const counting = [tables.countByRate, limits]
  const columns = variables({ RATES_COLUMNS: writeRelationColumns(columnsOf(warehouse)) })
  return {
    'create-search': {
      uses: [
        tables.useJobs('BatchGetItem', 'PutItem', 'UpdateItem'),
        // For the estimate of a search with `max_bytes`.
        tables.useCatalogue('BatchGetItem', 'Query', 'Scan'),
        tables.useContents('BatchGetItem', 'Query'),
        columns,
        startSearches,
        buildUrls,
        limits,
      ],
    },
    'list-searches': { uses: [tables.useJobs('BatchGetItem'), tables.listJobs] },
    'get-search': {
      uses: [
        tables.useJobs('BatchGetItem'),
        tables.holdWaitSlots(stage.waitingCalls),
        results.signDownloads,
        buildUrls,
      ],
      // A call waits for up to 20 seconds before it signs URLs, and API Gateway for 29.
      timeout: Duration.seconds(28),
    },
    'get-manifest': {
      uses: [
        tables.useJobs('BatchGetItem'),
        tables.useCatalogue('BatchGetItem', 'Query'),
        tables.useContents('BatchGetItem'),
        results.signDownloads,
      ],
    },
    // Many columns are read at once, each with buffers of its own.
    'get-rows': { uses: [tables.useJobs('BatchGetItem'), results.readResults, ...counting], memorySize: 1024 },
    'cancel-search': {
      uses: [tables.useJobs('BatchGetItem', 'UpdateItem'), queries.stopQueries, reportEnds, buildUrls],
    },
    'delete-search': {
      uses: [tables.useJobs('BatchGetItem', 'DeleteItem', 'UpdateItem'), results.removeResults, reportEnds],
      // A result can have a thousand files, and more if earlier attempts failed.
      timeout: Duration.seconds(25),
    },
    'estimate-search': {
      uses: [
        ...counting,
        tables.useCatalogue('BatchGetItem', 'Query', 'Scan'),
        tables.useContents('BatchGetItem', 'Query'),
        columns,
      ],
    },
    'list-fee-schedules': {
      uses: [
        tables.useCatalogue('BatchGetItem', 'Query', 'Scan'),
        tables.useContents('BatchGetItem', 'Query'),
        columns,
      ],
    },
    // Up to 100,000 names are held and compared: twice the usual processor.
    'list-billing-codes': { uses: [tables.useContents('Query'), ...counting], memorySize: 1024 },
    'list-specialties': { uses: [tables.useContents('BatchGetItem')] },
    // Up to a million names are compared.
    'list-providers': { uses: [tables.readNppes, readProviderFiles(warehouse), ...counting], memorySize: 1769 },
  }
}
