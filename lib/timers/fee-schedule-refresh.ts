import { Duration } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { ServiceFunction, variables } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import { addTimer } from './timer.ts'

/** Default interval between refreshes, in minutes. */
const defaultRefreshMinutes = 15

/** Adds the timer and function that fill the catalogue from an operator's relation `fee_schedules`. */
export function addFeeScheduleRefresh(
  scope: Construct,
  { stage, tables, queries, warehouse }: ServiceParts,
): ServiceFunction {
  const refresh = new ServiceFunction(scope, 'refresh-fee-schedules', {
    uses: [
      tables.useCatalogue('DeleteItem', 'PutItem', 'Scan'),
      tables.useContents('BatchGetItem', 'PutItem'),
      queries.runQueries,
      queries.watchQueries,
      queries.readRows,
      variables({ STAGE: stage.name }),
    ],
    // The function waits up to four minutes for its query.
    timeout: Duration.minutes(5),
  })
  addTimer(scope, 'RefreshTimer', {
    target: refresh,
    description: 'Refreshes the catalogue from the relation fee_schedules',
    minutes: warehouse.refreshMinutes ?? defaultRefreshMinutes,
  })
  return refresh
}
