import type { StackProps } from 'aws-cdk-lib'
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { Role } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { writeRelationColumns } from '../schema/relation-columns.ts'
import { unendedIndex } from '../schema/tables.ts'
import { Api } from './calls/api.ts'
import { FunctionRole, ServiceFunction } from './functions/service-function.ts'
import { Operations } from './operations/operations.ts'
import type { Stage } from './stage/stage.ts'
import { ResultsBucket } from './storage/results-bucket.ts'
import { Tables } from './storage/tables.ts'
import { addFeeScheduleRefresh } from './timers/fee-schedule-refresh.ts'
import { Sweeper } from './timers/sweeper.ts'
import type { WarehouseDescription } from './warehouse/warehouse-description.ts'
import {
  columnsOf,
  grantReadManifests,
  grantRunQueries,
  grantStopQueries,
  grantWatchQueries,
} from './warehouse/warehouse-description.ts'
import { WarehouseReader } from './warehouse/warehouse-reader.ts'
import { BrokenExecutions } from './workflow/broken-executions.ts'
import { DeadLetters } from './workflow/dead-letters.ts'
import { Workflow } from './workflow/workflow.ts'

export interface SearchServiceProps extends StackProps {
  readonly stage: Stage
  /** The warehouse that searches read. */
  readonly warehouse: WarehouseDescription
}

/** The whole service: API, functions, tables, results and workflow. */
export class SearchService extends Stack {
  constructor(scope: Construct, id: string, props: SearchServiceProps) {
    const { stage, warehouse } = props
    super(scope, id, { stackName: `${id}-${stage.name}`, ...props })
    const tables = new Tables(this, 'Tables', { stage })
    const results = new ResultsBucket(this, 'Results', { stage })
    const api = new Api(this, 'Api', { stage })

    const jobs = { JOBS_TABLE: tables.jobs.tableName, RETENTION_DAYS: String(stage.retentionDays) }
    // For functions that end jobs, which count them by stage.
    const ends = { STAGE: stage.name }
    const access = { ACCESS_TABLE: tables.access.tableName }
    const catalogue = { CATALOGUE_TABLE: tables.catalogue.tableName }
    const files = { RESULTS_BUCKET: results.bucketName }
    const athena = {
      WORKGROUP: warehouse.workGroup,
      DATABASE: warehouse.database,
      ...(stage.athenaEndpoint !== undefined && { AWS_ENDPOINT_URL_ATHENA: stage.athenaEndpoint }),
    }

    const deadLetters = new DeadLetters(this, 'DeadLetters')

    const startQuery = new ServiceFunction(this, 'StartQuery', {
      operation: 'start-query',
      environment: {
        ...jobs,
        ...ends,
        ...catalogue,
        CONTENTS_TABLE: tables.contents.tableName,
        ...files,
        ...athena,
        RATES_COLUMNS: writeRelationColumns(columnsOf(warehouse)),
        FEE_SCHEDULES: warehouse.feeSchedules ?? 'loads',
        QUERY_WAIT_MS: '5000',
      },
      timeout: Duration.seconds(60),
      // It mostly waits for its query, and waiting is billed by memory size.
      memorySize: 256,
    })
    tables.allow(startQuery, tables.jobs, 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem')
    tables.allow(startQuery, tables.catalogue, 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:Scan')
    tables.allow(startQuery, tables.contents, 'dynamodb:BatchGetItem', 'dynamodb:Query')
    results.grantUnload(startQuery)
    grantRunQueries(this, startQuery, warehouse)
    grantWatchQueries(this, startQuery, warehouse)

    const awaitQuery = new ServiceFunction(this, 'AwaitQuery', {
      operation: 'await-query',
      environment: { ...jobs, ...ends, ...athena },
      timeout: Duration.seconds(75),
      // It waits nearly all the time, and waiting is billed by memory size.
      memorySize: 256,
    })
    tables.allow(awaitQuery, tables.jobs, 'dynamodb:UpdateItem')
    grantWatchQueries(this, awaitQuery, warehouse)

    const publishResults = new ServiceFunction(this, 'PublishResults', {
      operation: 'publish-results',
      environment: { ...jobs, ...ends, ...files },
      timeout: Duration.minutes(5),
      memorySize: 1024,
    })
    tables.allow(publishResults, tables.jobs, 'dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem')
    results.grantReadResults(publishResults)
    results.grantWriteResults(publishResults)
    grantReadManifests(publishResults, warehouse)

    const recordFailure = new ServiceFunction(this, 'RecordFailure', {
      operation: 'record-failure',
      environment: { ...jobs, ...ends, ...athena },
      // It is invoked asynchronously by events.
      deadLetters,
    })
    tables.allow(recordFailure, tables.jobs, 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem')
    grantStopQueries(this, recordFailure, warehouse)

    const refresh =
      warehouse.feeSchedules === 'relation' ? addFeeScheduleRefresh(this, { warehouse, tables, athena }) : undefined

    const workflow = new Workflow(this, 'Workflow', {
      stageName: stage.name,
      refreshFeeSchedules: refresh,
      startQuery,
      awaitQuery,
      publishResults,
      recordFailure,
      maxDuration: Duration.hours(stage.waitingHours + stage.runningHours),
    })

    const createSearch = new ServiceFunction(this, 'CreateSearch', {
      operation: 'create-search',
      environment: {
        ...jobs,
        ...access,
        STATE_MACHINE_ARN: workflow.stateMachine.stateMachineArn,
        PUBLIC_BASE_URL: api.publicBaseUrl,
      },
    })
    tables.allow(createSearch, tables.access, 'dynamodb:BatchGetItem')
    tables.allow(createSearch, tables.jobs, 'dynamodb:BatchGetItem', 'dynamodb:PutItem')
    workflow.stateMachine.grantStartExecution(createSearch)

    // The function itself cannot read results; only the role that it signs with can.
    const getSearchRole = new FunctionRole(this, 'GetSearchRole')
    const signer = new Role(this, 'SignDownloads', { assumedBy: getSearchRole })
    results.grantReadResults(signer)
    const getSearch = new ServiceFunction(this, 'GetSearch', {
      operation: 'get-search',
      role: getSearchRole,
      environment: {
        ...jobs,
        ...access,
        ...files,
        SIGNING_ROLE_ARN: signer.roleArn,
        PUBLIC_BASE_URL: api.publicBaseUrl,
      },
    })
    signer.grantAssumeRole(getSearch.grantPrincipal)
    tables.allow(getSearch, tables.access, 'dynamodb:BatchGetItem')
    tables.allow(getSearch, tables.jobs, 'dynamodb:BatchGetItem')

    const cancelSearch = new ServiceFunction(this, 'CancelSearch', {
      operation: 'cancel-search',
      environment: { ...jobs, ...ends, ...access, ...athena, PUBLIC_BASE_URL: api.publicBaseUrl },
    })
    tables.allow(cancelSearch, tables.access, 'dynamodb:BatchGetItem')
    tables.allow(cancelSearch, tables.jobs, 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem')
    grantStopQueries(this, cancelSearch, warehouse)

    const deleteSearch = new ServiceFunction(this, 'DeleteSearch', {
      operation: 'delete-search',
      environment: { ...jobs, ...access, ...files },
      // A result may have a thousand files, and more if attempts failed.
      timeout: Duration.seconds(25),
    })
    tables.allow(deleteSearch, tables.access, 'dynamodb:BatchGetItem')
    tables.allow(deleteSearch, tables.jobs, 'dynamodb:BatchGetItem', 'dynamodb:DeleteItem')
    results.grantRemoveResults(deleteSearch)

    const listFeeSchedules = new ServiceFunction(this, 'ListFeeSchedules', {
      operation: 'list-fee-schedules',
      environment: { ...access, ...catalogue },
    })
    tables.allow(listFeeSchedules, tables.access, 'dynamodb:BatchGetItem')
    tables.allow(listFeeSchedules, tables.catalogue, 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:Scan')

    const notFound = new ServiceFunction(this, 'NotFound', { operation: 'not-found', environment: {} })

    api.route(
      {
        'create-search': createSearch,
        'get-search': getSearch,
        'cancel-search': cancelSearch,
        'delete-search': deleteSearch,
        'list-fee-schedules': listFeeSchedules,
      },
      notFound,
    )
    const sweepSearches = new ServiceFunction(this, 'SweepSearches', {
      operation: 'sweep-searches',
      environment: {
        ...jobs,
        ...ends,
        ...athena,
        STATE_MACHINE_ARN: workflow.stateMachine.stateMachineArn,
        WAITING_HOURS: String(stage.waitingHours),
        RUNNING_HOURS: String(stage.runningHours),
      },
      timeout: Duration.seconds(55),
    })
    tables.allow(sweepSearches, tables.jobs, 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem')
    tables.allowIndex(sweepSearches, tables.jobs, unendedIndex)
    workflow.stateMachine.grantStartExecution(sweepSearches)
    workflow.stateMachine.grantExecution(sweepSearches, 'states:DescribeExecution')
    grantStopQueries(this, sweepSearches, warehouse)
    new Sweeper(this, 'Sweeper', { sweepSearches })

    const refreshes = refresh === undefined ? [] : [refresh]
    new BrokenExecutions(this, 'BrokenExecutions', {
      stateMachine: workflow.stateMachine,
      recordFailure,
      deadLetters,
    })
    new Operations(this, 'Operations', {
      stage,
      restApi: api.restApi,
      stateMachine: workflow.stateMachine,
      calls: [createSearch, getSearch, cancelSearch, deleteSearch, listFeeSchedules],
      functions: [startQuery, awaitQuery, publishResults, recordFailure, sweepSearches, ...refreshes],
      refreshes,
      deadLetters,
    })
    const reader =
      stage.warehouse === undefined ? undefined : new WarehouseReader(this, 'WarehouseReader', { warehouse })
    const outputs = {
      PublicBaseUrl: [api.publicBaseUrl, 'Base URL of /v1'],
      ApiId: [api.restApi.restApiId, 'Id of the REST API'],
      AccessTable: [tables.access.tableName, 'Organizations and keys: npm run keys -- … --table <this>'],
      CatalogueTable: [tables.catalogue.tableName, 'Fee schedules that can be searched'],
      ContentsTable: [tables.contents.tableName, 'What fee schedules consist of'],
      JobsTable: [tables.jobs.tableName, 'Jobs, their shards and requests'],
      ResultsBucket: [results.bucketName, 'Results, below results/'],
      ...(reader !== undefined && {
        WarehouseReaderRole: [reader.roleArn, 'May read what searches may read: npm run check-warehouse'] as const,
      }),
    } as const
    for (const [name, [value, description]] of Object.entries(outputs))
      new CfnOutput(this, name, { value, description })
  }
}
