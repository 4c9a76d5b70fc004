import type { Log } from '../log.ts'
import { addSeconds, type Clock } from '../time.ts'
import type { CallWebhook, Webhooks } from './ports.ts'
import { type Delivery, type Endpoint, isLost, nextAttempt, secondsOfDays, signCall } from './webhook.ts'

/** Dependencies of webhook calls. */
export interface CallsWebhooks {
  readonly webhooks: Webhooks
  readonly call: CallWebhook
  readonly now: Clock
  /** A number from 0 to 1. */
  readonly random: () => number
  readonly log: Log
}

/** Maximum number of concurrent calls. */
export const calledAtOnce = 25

/** Seconds after which a run begins no further call: other deliveries stay due. */
export const runSeconds = 40

/**
 * Days for which a delivery is stored after its last call. A repeated event is recognised while its delivery is stored.
 */
const storedDays = { delivered: 2, givenUp: 30 } as const

export type AttemptOutcome = 'delivered' | 'to be repeated' | 'given up'

/** Calls an endpoint once, and notes the outcome. */
export async function attemptCall(
  deps: CallsWebhooks,
  endpoint: Endpoint,
  delivery: Delivery,
): Promise<AttemptOutcome> {
  const { webhooks, call, now, random, log } = deps
  const giveUp = async (failure: string): Promise<AttemptOutcome> => {
    await webhooks.giveUp(delivery, failure, now(), addSeconds(now(), secondsOfDays(storedDays.givenUp)))
    return 'given up'
  }
  if (endpoint.disabledAt !== undefined) return giveUp('the endpoint is disabled')
  const outcome = await call(endpoint.url, signCall(delivery, endpoint.secrets, now()), delivery.body)
  const at = now()
  const { orgId, endpointId, eventId, attempts } = delivery
  const failure = 'status' in outcome ? `status ${outcome.status}` : outcome.fault
  const isDelivered = 'status' in outcome && outcome.status >= 200 && outcome.status < 300
  log('webhook called', {
    org_id: orgId,
    endpoint_id: endpointId,
    event_id: eventId,
    attempt: attempts,
    outcome: failure,
  })
  if (isDelivered) {
    await webhooks.close(delivery, addSeconds(at, secondsOfDays(storedDays.delivered)))
    if (endpoint.failingSince !== undefined) await webhooks.noteEndpointWorks(endpoint)
    return 'delivered'
  }
  await webhooks.noteEndpointFails(endpoint, failure, at)
  // Source: Standard Webhooks, "Deliverability and reliability": 410 Gone asks for no more calls.
  const isGone = 'status' in outcome && outcome.status === 410
  const again = nextAttempt(delivery, at, random())
  const isLostNow = isLost(endpoint, delivery, at)
  if (again !== undefined && !isGone && !isLostNow) {
    await webhooks.noteFailure(delivery, failure, again)
    return 'to be repeated'
  }
  const days = 'no call has succeeded for five days'
  if (isGone || isLostNow) await webhooks.disable(endpoint, isGone ? 'it answered 410 Gone' : days, at)
  return giveUp(failure)
}
