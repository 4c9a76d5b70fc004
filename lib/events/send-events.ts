import { Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { eventSource } from '../../schema/events.ts'
import type { Use } from '../functions/service-function.ts'

/** Lets a function send events of one type to the default bus, and name the stage in its metrics. */
export function sendEvents(stage: string, detailType: string): Use {
  return (user) => {
    user.setVariables({ STAGE: stage })
    const bus = { service: 'events', resource: 'event-bus', resourceName: 'default' }
    user.addToRolePolicy(
      new PolicyStatement({
        actions: ['events:PutEvents'],
        resources: [Stack.of(user).formatArn(bus)],
        conditions: { StringEquals: { 'events:source': eventSource(stage), 'events:detail-type': detailType } },
      }),
    )
  }
}
