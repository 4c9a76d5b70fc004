import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Construct } from 'constructs'
import { ServiceFunction, type Use, variables } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'

/** Adds the sweeper, which runs once a minute. No retries: the next sweep makes up for a missed one. */
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
  new Rule(new Construct(scope, 'Sweeper'), 'EveryMinute', {
    description: 'Makes sure that every accepted search ends',
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new LambdaFunction(sweepSearches, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  })
  return sweepSearches
}
