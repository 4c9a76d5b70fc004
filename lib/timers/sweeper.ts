import { Duration } from 'aws-cdk-lib'
import { Construct } from 'constructs'
import { ServiceFunction, type Use, variables } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import { addTimer } from './timer.ts'

/** Adds the sweeper, which runs once a minute. */
export function addSweeper(scope: Construct, parts: ServiceParts, restartSearches: Use): ServiceFunction {
  const { stage, tables, queries, reportEnds } = parts
  const sweepSearches = new ServiceFunction(scope, 'sweep-searches', {
    uses: [
      tables.useJobs('BatchGetItem', 'UpdateItem'),
      tables.findUnendedJobs,
      restartSearches,
      queries.stopQueries,
      variables({ WAITING_HOURS: stage.waitingHours, RUNNING_HOURS: stage.runningHours }),
      reportEnds,
    ],
    timeout: Duration.seconds(55),
  })
  const timer = new Construct(scope, 'Sweeper')
  addTimer(timer, 'EveryMinute', {
    target: sweepSearches,
    description: 'Makes sure that every accepted search ends',
  })
  return sweepSearches
}
