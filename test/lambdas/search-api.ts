import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { createDynamoSearchUsages } from '../../adapters/dynamodb/dynamo-byte-usages.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoRateUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoJobList } from '../../adapters/dynamodb/jobs/dynamo-job-list.ts'
import {
  createDynamoCreationLookup,
  createDynamoJobLookup,
  createDynamoRecordedJobLookup,
} from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createDynamoCodeNames } from '../../adapters/dynamodb/vocabulary/dynamo-code-names.ts'
import { createDynamoSpecialties } from '../../adapters/dynamodb/vocabulary/dynamo-specialties.ts'
import { openS3ProviderFiles } from '../../adapters/s3/ranges/s3-provider-files.ts'
import { createS3ResultFiles } from '../../adapters/s3/s3-result-files.ts'
import { openS3ResultRows } from '../../adapters/s3/s3-result-rows.ts'
import { createS3UrlSigner } from '../../adapters/s3/s3-url-signer.ts'
import { createSfnWorkflow } from '../../adapters/sfn-workflow.ts'
import { type Route, routes } from '../../contract/routes.ts'
import { getManifest } from '../../core/calls/get-manifest.ts'
import { listBillingCodes } from '../../core/calls/lists/list-billing-codes.ts'
import { listFeeSchedules } from '../../core/calls/lists/list-fee-schedules.ts'
import { listProviders } from '../../core/calls/lists/list-providers.ts'
import { listSearches } from '../../core/calls/lists/list-searches.ts'
import { listSpecialties } from '../../core/calls/lists/list-specialties.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import type { Limits } from '../../core/limits/usage.ts'
import type { Queries } from '../../core/search/ports.ts'
import { openCodeFinder } from '../../core/vocabulary/find-billing-codes.ts'
import { cancelSearchHandler } from '../../lambdas/cancel-search/handler.ts'
import { createSearchHandler } from '../../lambdas/create-search/handler.ts'
import { deleteSearchHandler } from '../../lambdas/delete-search/handler.ts'
import { estimateSearchHandler } from '../../lambdas/estimate-search/handler.ts'
import { getRowsHandler } from '../../lambdas/get-rows/handler.ts'
import { getSearchHandler } from '../../lambdas/get-search/handler.ts'
import { servePage, serveSearch } from '../../lambdas/http/serve-call.ts'
import { notFoundHandler } from '../../lambdas/not-found/handler.ts'
import { localWarehouseBucket } from '../../schema/columns/providers-table.ts'
import { type Request, send } from '../builders/proxy-event.ts'
import { newContent, newEntry } from '../builders/sample-search.ts'
import { openSettling } from '../builders/settling.ts'
import { requiredQueries } from '../conformance/required-queries.ts'
import { createMemoryLog } from '../doubles/memory-log.ts'
import { wideLimits } from '../doubles/memory-usages.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { fixtureLoad } from '../local/athena/warehouse-fixture.ts'

export const endpoints = connectEndpoints()
const dynamo = connectDynamo()

export const access = createDynamoAccess(dynamo, endpoints.tables.access)
export const jobs = createDynamoJobs(dynamo, endpoints.tables.jobs)
const queries = createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' })
export const catalogue = createDynamoCatalogue(dynamo, endpoints.tables.catalogue, endpoints.tables.contents)

export const contents = createDynamoContents(dynamo, endpoints.tables.contents)

/** Makes a source of the run's warehouse a fee schedule. The content has the id of the source. */
export async function offerSource(sourceId: string, feeSchedule: FeeSchedule): Promise<void> {
  await contents.putContent({ ...newContent(sourceId), sources: [{ loadId: fixtureLoad, sourceId }] })
  await catalogue.replace(newEntry({ ...feeSchedule, contentId: sourceId }), undefined)
}

/** Dependencies of the steps that follow the end of a job. */
export const settling = openSettling(dynamo, endpoints.tables.jobs)

export const publicBaseUrl = 'https://rates.example/prod'
export const retentionDays = 7

/** Resources that a test can replace with broken ones. */
export interface Breakage {
  readonly jobsTable?: string
  readonly accessTable?: string
  readonly catalogueTable?: string
  readonly contentsTable?: string
  readonly stateMachineArn?: string
  readonly signingRoleArn?: string
  readonly resultsBucket?: string
  readonly queries?: Pick<Queries, 'stop'>
  /** The limits of organizations. @default - none that a test reaches */
  readonly limits?: Limits
}

/** Breakages of the resources that a call needs besides the table of access. */
export const breakagesByCall: Readonly<Record<Route['operation'], readonly Breakage[]>> = {
  'list-searches': [{ jobsTable: 'no-such-table' }],
  'create-search': [{ jobsTable: 'no-such-table' }],
  'get-search': [{ jobsTable: 'no-such-table' }, { signingRoleArn: 'no-role' }],
  'get-manifest': [{ jobsTable: 'no-such-table' }, { signingRoleArn: 'no-role' }, { catalogueTable: 'no-such-table' }],
  'get-rows': [{ jobsTable: 'no-such-table' }, { resultsBucket: 'no-such-bucket' }],
  'cancel-search': [{ jobsTable: 'no-such-table' }],
  'delete-search': [{ jobsTable: 'no-such-table' }, { resultsBucket: 'no-such-bucket' }],
  'estimate-search': [{ catalogueTable: 'no-such-table' }, { jobsTable: 'no-such-table' }],
  'list-fee-schedules': [{ catalogueTable: 'no-such-table' }],
  'list-billing-codes': [{ contentsTable: 'no-such-table' }, { jobsTable: 'no-such-table' }],
  'list-specialties': [{ contentsTable: 'no-such-table' }],
  'list-providers': [{ contentsTable: 'no-such-table' }],
}

/** Opens the HTTP functions over the test run's endpoints, with a clock that the test controls. */
export function openSearchApi(broken: Breakage = {}) {
  const { tables, stateMachineArn, signingRoleArn, resultsBucket } = endpoints
  const {
    jobsTable = tables.jobs,
    accessTable = tables.access,
    catalogueTable = tables.catalogue,
    contentsTable = tables.contents,
  } = broken
  const clock = { now: new Date() }
  const now = () => clock.now
  const { log, lines } = createMemoryLog()
  const common = {
    access: createDynamoAccess(dynamo, accessTable),
    publicBaseUrl,
    retentionDays,
    now,
    log,
  }
  const lookup = createDynamoJobLookup(dynamo, { jobs: jobsTable, access: accessTable })
  const signer = createS3UrlSigner({ bucket: resultsBucket, roleArn: broken.signingRoleArn ?? signingRoleArn, now })
  const limits = broken.limits ?? wideLimits
  const counting = { readUsages: createDynamoRateUsages(dynamo, jobsTable, 'reads'), limits }
  const handlers = {
    'cancel-search': cancelSearchHandler({
      ...common,
      ...settling,
      countEnd: () => {},
      lookup,
      jobs: createDynamoJobs(dynamo, jobsTable),
      queries: broken.queries ?? queries,
    }),
    'create-search': createSearchHandler({
      ...common,
      creationLookup: createDynamoCreationLookup(dynamo, { jobs: jobsTable, access: accessTable }),
      ...createDynamoSearchUsages(dynamo, jobsTable),
      limits,
      jobs: createDynamoJobs(dynamo, jobsTable),
      workflow: createSfnWorkflow(broken.stateMachineArn ?? stateMachineArn),
      catalogue,
      contents,
      newJobId: randomUUID,
      newRun: () => randomBytes(8).toString('hex'),
    }),
    'get-search': getSearchHandler({
      ...common,
      lookup,
      signer,
    }),
    'get-manifest': serveSearch(getManifest, {
      ...common,
      lookup: createDynamoRecordedJobLookup(dynamo, { jobs: jobsTable, access: accessTable }),
      jobs: createDynamoJobs(dynamo, jobsTable),
      catalogue: createDynamoCatalogue(dynamo, catalogueTable, endpoints.tables.contents),
      contents,
      signer,
    }),
    'get-rows': getRowsHandler({
      ...common,
      lookup,
      jobs: createDynamoJobs(dynamo, jobsTable),
      resultRows: openS3ResultRows(broken.resultsBucket ?? resultsBucket, now),
      ...counting,
    }),
    'list-searches': servePage(listSearches, { ...common, list: createDynamoJobList(dynamo, jobsTable) }),
    'estimate-search': estimateSearchHandler({
      ...common,
      catalogue: createDynamoCatalogue(dynamo, catalogueTable, endpoints.tables.contents),
      contents,
      estimateUsages: createDynamoRateUsages(dynamo, jobsTable, 'estimates'),
      limits,
    }),
    'delete-search': deleteSearchHandler({
      ...common,
      ...settling,
      lookup,
      jobs: createDynamoJobs(dynamo, jobsTable),
      resultFiles: createS3ResultFiles(broken.resultsBucket ?? resultsBucket),
    }),
    'list-fee-schedules': servePage(listFeeSchedules, {
      ...common,
      catalogue: createDynamoCatalogue(dynamo, catalogueTable, endpoints.tables.contents),
      contents,
    }),
    'list-billing-codes': servePage(listBillingCodes, {
      ...common,
      findBillingCodes: openCodeFinder(createDynamoCodeNames(dynamo, contentsTable), now),
      ...counting,
    }),
    'list-specialties': servePage(listSpecialties, {
      ...common,
      specialties: createDynamoSpecialties(dynamo, contentsTable),
    }),
    'list-providers': servePage(listProviders, {
      ...common,
      contents: createDynamoContents(dynamo, contentsTable),
      specialties: createDynamoSpecialties(dynamo, contentsTable),
      providerFiles: openS3ProviderFiles(`s3://${localWarehouseBucket}/`, now),
      ...counting,
    }),
  } satisfies Record<Route['operation'], unknown>
  const callRoute = (operation: Route['operation'], jobId: string, request: Request = {}) => {
    const { method, path } = routeOf(operation)
    const query = requiredQueries[operation]
    const ofJob = path.includes('{job_id}') ? { pathParameters: { job_id: jobId } } : {}
    return send(handlers[operation], {
      method,
      path: path.replace('{job_id}', jobId),
      resource: path,
      ...ofJob,
      ...(query && { query }),
      ...request,
    })
  }
  return {
    clock,
    log: lines,
    /** Invokes the function behind a route, for a job if its path names one. */
    callRoute,
    createSearch: (request: Request) =>
      callRoute('create-search', '', {
        ...request,
        headers: { 'Content-Type': 'application/json', ...request.headers },
      }),
    getSearch: (jobId: string, request?: Request) => callRoute('get-search', jobId, request),
    getManifest: (jobId: string, request?: Request) => callRoute('get-manifest', jobId, request),
    cancelSearch: (jobId: string, request?: Request) => callRoute('cancel-search', jobId, request),
    deleteSearch: (jobId: string, request?: Request) => callRoute('delete-search', jobId, request),
    listSearches: (request: Request) => callRoute('list-searches', '', request),
    listFeeSchedules: (request: Request) => callRoute('list-fee-schedules', '', request),
    listBillingCodes: (request: Request) => callRoute('list-billing-codes', '', request),
    listSpecialties: (request: Request) => callRoute('list-specialties', '', request),
    notFound: (request: Request) => send(notFoundHandler(common), request),
  }
}

function routeOf(operation: Route['operation']): Route {
  const route = routes.find((each) => each.operation === operation)
  if (route === undefined) throw new Error(`no route is called ${operation}`)
  return route
}

/** The body of every refusal. */
export const refusal = (type: string, requestId: string) => ({
  error: expect.objectContaining({ type, message: expect.stringMatching(/\.$/), request_id: requestId }),
})
