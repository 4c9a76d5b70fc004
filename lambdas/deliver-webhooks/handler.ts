import type { CallsWebhooks } from '../../core/events/attempt-call.ts'
import { deliverWebhooks } from '../../core/events/deliver-webhooks.ts'
import { formatGivenUp, type WritesMetrics } from '../metrics.ts'
import { readBusEvent } from './bus-event.ts'

/** Tells webhooks of an event. */
export function deliverWebhooksHandler(deps: CallsWebhooks & WritesMetrics) {
  return async (event: unknown): Promise<void> => {
    const message = readBusEvent(event)
    if (message === undefined) return
    const givenUp = await deliverWebhooks(deps, message)
    if (givenUp > 0) deps.writeLine(formatGivenUp(givenUp, { stage: deps.stage, time: deps.now() }))
  }
}
