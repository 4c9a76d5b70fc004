import { Duration } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { ServiceFunction } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import { addTimer } from '../timers/timer.ts'
import { sendEvents } from './send-events.ts'

/** Adds the function that announces the changes of loads once a minute. */
export function addLoadAnnouncer(scope: Construct, { stage, tables }: ServiceParts): ServiceFunction {
  const announceLoads = new ServiceFunction(scope, 'announce-loads', {
    uses: [
      tables.useCatalogue('Scan'),
      tables.useContents('BatchGetItem', 'Query'),
      tables.noteAnnouncedLoads,
      sendEvents(stage.name, 'fee_schedules.updated'),
    ],
    // It reads the whole catalogue after a load.
    timeout: Duration.minutes(5),
    memorySize: 1024,
  })
  addTimer(scope, 'LoadAnnouncer', { target: announceLoads, description: 'Announces what loads changed' })
  return announceLoads
}
