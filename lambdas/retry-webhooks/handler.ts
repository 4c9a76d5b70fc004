import type { CallsWebhooks } from '../../core/events/attempt-call.ts'
import { retryWebhooks } from '../../core/events/retry-webhooks.ts'
import { formatGivenUp, type WritesMetrics } from '../metrics.ts'

/** Makes the calls of webhooks again that are due. */
export function retryWebhooksHandler(deps: CallsWebhooks & WritesMetrics) {
  return async (): Promise<void> => {
    const givenUp = await retryWebhooks(deps)
    if (givenUp > 0) deps.writeLine(formatGivenUp(givenUp, { stage: deps.stage, time: deps.now() }))
  }
}
