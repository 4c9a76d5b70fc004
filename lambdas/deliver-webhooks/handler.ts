import { type DeliverWebhooks, deliverDue, deliverMessage } from '../../core/events/deliver-webhooks.ts'
import { describeGivenUp } from '../metrics.ts'
import { readBusEvent } from './bus-event.ts'

export interface WebhookHandler extends DeliverWebhooks {
  /** The stage, a dimension of the metrics. */
  readonly stage: string
  readonly writeLine: (line: string) => void
}

/** Tells webhooks of an event, and once a minute makes the calls that are due again. */
export function deliverWebhooksHandler(deps: WebhookHandler) {
  return async (event: unknown): Promise<void> => {
    const message = readBusEvent(event)
    const givenUp = await (message === undefined ? deliverDue(deps) : deliverMessage(deps, message))
    if (givenUp > 0) deps.writeLine(describeGivenUp(givenUp, { stage: deps.stage, time: deps.now() }))
  }
}
