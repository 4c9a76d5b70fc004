import { Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { eventSource, searchEndedType } from '../../schema/events.ts'
import type { Use } from './service-function.ts'

/** Lets a function report ended searches: as a metric with the stage, and as an event on the default bus. */
export function reportEndsOf(stage: string): Use {
  return (user) => {
    user.setVariables({ STAGE: stage })
    const bus = { service: 'events', resource: 'event-bus', resourceName: 'default' }
    user.addToRolePolicy(
      new PolicyStatement({
        actions: ['events:PutEvents'],
        resources: [Stack.of(user).formatArn(bus)],
        conditions: { StringEquals: { 'events:source': eventSource(stage), 'events:detail-type': searchEndedType } },
      }),
    )
  }
}
