import { type DeliverWebhooks, deliverDue, deliverMessage } from '../../core/events/deliver-webhooks.ts'
import { describeGivenUp, type WritesMetrics } from '../metrics.ts'
import { readBusEvent } from './bus-event.ts'

/** Tells webhooks of an event, and once a minute makes the calls that are due again. */
export function deliverWebhooksHandler(deps: DeliverWebhooks & WritesMetrics) {
  return async (event: unknown): Promise<void> => {
    const message = readBusEvent(event)
    const givenUp = await (message === undefined ? deliverDue(deps) : deliverMessage(deps, message))
    if (givenUp > 0) deps.writeLine(describeGivenUp(givenUp, { stage: deps.stage, time: deps.now() }))
  }
}
