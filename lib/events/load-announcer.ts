import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import { feeSchedulesUpdatedType } from '../../schema/events.ts'
import { ServiceFunction } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import { sendEvents } from './send-events.ts'

/** Adds the function that announces once a minute what loads changed. No retries: the next minute makes up for one. */
export function addLoadAnnouncer(scope: Construct, { stage, tables }: ServiceParts): ServiceFunction {
  const announceLoads = new ServiceFunction(scope, 'announce-loads', {
    uses: [
      tables.useCatalogue('Scan'),
      tables.useContents('BatchGetItem', 'Query'),
      tables.noteAnnouncedLoads,
      sendEvents(stage.name, feeSchedulesUpdatedType),
    ],
    // It reads the whole catalogue after a load.
    timeout: Duration.minutes(5),
    memorySize: 1024,
  })
  new Rule(scope, 'LoadAnnouncer', {
    description: 'Announces what loads changed',
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new LambdaFunction(announceLoads, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  })
  return announceLoads
}
