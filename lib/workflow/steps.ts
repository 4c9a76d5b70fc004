import { Duration } from 'aws-cdk-lib'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { localRatesLocation } from '../../schema/columns/rates-views.ts'
import { writeRelationColumns } from '../../schema/columns/relation-columns.ts'
import { ServiceFunction, variables } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import { columnsOf } from '../stage/warehouse-description.ts'

/** The functions that the workflow calls. */
export type Steps = ReturnType<typeof addSteps>

/** Longest wait of start-query for its query, in milliseconds; most queries end sooner. */
const queryWaitMs = 5000

/** Time for which a turn of await-query watches its query, in milliseconds: it costs one state transition a minute. */
const queryTurnMs = 50_000

/** Memory in MiB of a function that mostly waits for its query: waiting is billed by memory size. */
const waitingMemory = 256

/**
 * Adds the functions of the workflow's steps.
 *
 * @param deadLetters queue for the events of broken executions that `record-failure` could not handle
 */
export function addSteps(scope: Construct, parts: ServiceParts, deadLetters: IQueue) {
  const { tables, results, queries, warehouse, reportEnds, stage } = parts
  return {
    startQuery: new ServiceFunction(scope, 'start-query', {
      // It also publishes short results. Athena reads and writes their files with the same role.
      uses: [
        tables.useJobs('BatchGetItem', 'PutItem', 'UpdateItem'),
        tables.useCatalogue('BatchGetItem', 'Query', 'Scan'),
        tables.useContents('BatchGetItem', 'Query'),
        results.unload,
        results.publish,
        queries.runQueries,
        queries.listFiles(stage.searchFiles),
        queries.watchQueries,
        queries.readManifests,
        variables({
          RATES_COLUMNS: writeRelationColumns(columnsOf(warehouse)),
          RATES_LOCATION: warehouse.dataLocations[0] ?? localRatesLocation,
          FEE_SCHEDULES: warehouse.feeSchedules ?? 'loads',
          QUERY_WAIT_MS: queryWaitMs,
        }),
        reportEnds,
      ],
      timeout: Duration.seconds(60),
      memorySize: waitingMemory,
    }),
    awaitQuery: new ServiceFunction(scope, 'await-query', {
      uses: [
        tables.useJobs('BatchGetItem', 'UpdateItem'),
        queries.watchQueries,
        variables({ QUERY_TURN_MS: stage.fewFunctions ? 0 : queryTurnMs }),
        reportEnds,
      ],
      timeout: Duration.seconds(75),
      memorySize: waitingMemory,
    }),
    publishResults: new ServiceFunction(scope, 'publish-results', {
      uses: [
        tables.useJobs('BatchGetItem', 'PutItem', 'UpdateItem'),
        results.publish,
        queries.readManifests,
        reportEnds,
      ],
      timeout: Duration.minutes(5),
      memorySize: 1024,
    }),
    recordFailure: new ServiceFunction(scope, 'record-failure', {
      uses: [tables.useJobs('BatchGetItem', 'UpdateItem'), queries.stopQueries, reportEnds],
      // Events invoke this function asynchronously.
      deadLetters,
    }),
  }
}
