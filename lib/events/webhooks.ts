import { Duration } from 'aws-cdk-lib'
import { Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { eventSource, feeSchedulesUpdatedType, searchEndedType } from '../../schema/events.ts'
import { ServiceFunction, variables } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import { addTimer } from '../timers/timer.ts'

/** A stage whose clients reach it on this machine: the local service, or an emulator of AWS. */
const isOnThisMachine = (publicBaseUrl: string) => /^http:\/\/(localhost|127\.0\.0\.1)[:/]/.test(publicBaseUrl)

/**
 * Adds the function that calls webhooks: for each event of the service, and once a minute for calls that are due again.
 * It is in no network of the operator's, and its role reaches no other table.
 *
 * @param deadLetters queue for events that could not be handled
 */
export function addWebhooks(scope: Construct, { stage, tables }: ServiceParts, deadLetters: IQueue): ServiceFunction {
  const deliverWebhooks = new ServiceFunction(scope, 'deliver-webhooks', {
    uses: [
      tables.useWebhooks,
      variables({
        STAGE: stage.name,
        WEBHOOK_ADDRESSES: isOnThisMachine(stage.publicBaseUrl) ? 'own' : 'public',
      }),
    ],
    // It begins no call after 40 seconds, and a call takes ten.
    timeout: Duration.seconds(60),
    memorySize: 256,
    deadLetters,
  })
  const rules = new Construct(scope, 'Webhooks')
  new Rule(rules, 'Events', {
    description: 'Tells webhooks what has happened',
    eventPattern: { source: [eventSource(stage.name)], detailType: [searchEndedType, feeSchedulesUpdatedType] },
    targets: [new LambdaFunction(deliverWebhooks, { deadLetterQueue: deadLetters })],
  })
  addTimer(rules, 'EveryMinute', deliverWebhooks, 'Calls webhooks again that are due')
  return deliverWebhooks
}
