import { Stack } from 'aws-cdk-lib'
import { eventSource, serviceEvents, type WebhookEvent } from '../../schema/events.ts'
import { allow } from '../functions/allow.ts'
import type { Use } from '../functions/service-function.ts'

/** Lets a function send events of one type to the default bus, and name the stage in its metrics. */
export function sendEvents(stage: string, type: WebhookEvent): Use {
  return (user) => {
    user.setVariables({ STAGE: stage })
    const bus = Stack.of(user).formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' })
    const conditions = { 'events:source': eventSource(stage), 'events:detail-type': serviceEvents[type].detailType }
    allow(user, ['events:PutEvents'], [bus], { StringEquals: conditions })
  }
}
