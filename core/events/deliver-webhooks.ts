import { addSeconds } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'
import { attemptCall, type CallsWebhooks, calledAtOnce, runSeconds } from './attempt-call.ts'
import { type Delivery, type Endpoint, leaseSeconds, type Message } from './webhook.ts'

/**
 * Records an event for each endpoint that subscribes to it, then calls the endpoints. `retryWebhooks` repeats a lost
 * call; a repeated event is not recorded again.
 *
 * @returns the number of deliveries that were given up
 */
export async function deliverWebhooks(deps: CallsWebhooks, message: Message): Promise<number> {
  const { webhooks, now } = deps
  const { id, type, timestamp, orgId, data } = message
  const at = now()
  const endpoints = await (orgId === undefined ? webhooks.listAllEndpoints() : webhooks.listEndpoints(orgId))
  const subscribers = endpoints.filter(({ events, disabledAt }) => disabledAt === undefined && events.includes(type))
  const body = JSON.stringify({ type, timestamp, data })
  const recorded: { readonly endpoint: Endpoint; readonly delivery: Delivery }[] = []
  await workAtOnce(subscribers, calledAtOnce, async (endpoint) => {
    const key = { orgId: endpoint.orgId, endpointId: endpoint.endpointId, eventId: id }
    const delivery = { ...key, type, body, createdAt: at, attempts: 1 }
    if ((await webhooks.record(delivery, addSeconds(at, leaseSeconds))) === 'written')
      recorded.push({ endpoint, delivery })
  })
  let givenUp = 0
  await workAtOnce(recorded, calledAtOnce, async ({ endpoint, delivery }) => {
    if (now() > addSeconds(at, runSeconds)) return
    if ((await attemptCall(deps, endpoint, delivery)) === 'given up') givenUp += 1
  })
  return givenUp
}
