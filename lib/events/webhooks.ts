import { Duration } from 'aws-cdk-lib'
import { Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { eventSource, serviceEvents } from '../../schema/events.ts'
import { ServiceFunction, variables } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import { addTimer } from '../timers/timer.ts'

/** True for a stage that clients reach on this machine: the local service, or an emulator of AWS. */
const isOnThisMachine = (publicBaseUrl: string) => /^http:\/\/(localhost|127\.0\.0\.1)[:/]/.test(publicBaseUrl)

/** The functions that call webhooks. */
export interface WebhookFunctions {
  readonly deliverWebhooks: ServiceFunction
  readonly retryWebhooks: ServiceFunction
}

/**
 * Adds two functions that call webhooks: one handles each event of the service, the other repeats calls that are due
 * again.
 *
 * They are separate because Lambda has one retry setting for all asynchronous calls of a function: a failed event must
 * be repeated and kept, a failed call of the timer must not. Neither runs in a network of the operator's, and their
 * roles reach no other table.
 *
 * @param deadLetters queue for events that could not be handled
 */
export function addWebhooks(scope: Construct, { stage, tables }: ServiceParts, deadLetters: IQueue): WebhookFunctions {
  const settings = variables({
    STAGE: stage.name,
    WEBHOOK_ADDRESSES: isOnThisMachine(stage.publicBaseUrl) ? 'own' : 'public',
  })
  // They start no call after 40 seconds, and a call takes at most ten.
  const size = { timeout: Duration.seconds(60), memorySize: 256 }
  const deliverWebhooks = new ServiceFunction(scope, 'deliver-webhooks', {
    uses: [tables.useWebhooks('BatchGetItem', 'PutItem', 'Query', 'UpdateItem'), settings],
    ...size,
    deadLetters,
  })
  const retryWebhooks = new ServiceFunction(scope, 'retry-webhooks', {
    uses: [tables.useWebhooks('BatchGetItem', 'UpdateItem'), settings],
    ...size,
  })
  const rules = new Construct(scope, 'Webhooks')
  new Rule(rules, 'Events', {
    description: 'Tells webhooks what has happened',
    eventPattern: {
      source: [eventSource(stage.name)],
      detailType: Object.values(serviceEvents).map(({ detailType }) => detailType),
    },
    targets: [new LambdaFunction(deliverWebhooks, { deadLetterQueue: deadLetters })],
  })
  addTimer(rules, 'EveryMinute', { target: retryWebhooks, description: 'Repeats calls of webhooks that are due' })
  return { deliverWebhooks, retryWebhooks }
}
