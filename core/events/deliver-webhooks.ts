import type { Log } from '../log.ts'
import { addSeconds, type Clock } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'
import type { CallWebhook, Webhooks } from './ports.ts'
import {
  type Delivery,
  type Endpoint,
  isLost,
  leaseSeconds,
  type Message,
  nextAttempt,
  secondsOfDays,
  signCall,
} from './webhook.ts'

export interface DeliverWebhooks {
  readonly webhooks: Webhooks
  readonly call: CallWebhook
  readonly now: Clock
  /** A number from 0 to 1. */
  readonly random: () => number
  readonly log: Log
}

const calledAtOnce = 25

/** Deliveries read at once from the queue: keys of about 150 bytes, and a query reads 1 MB. */
const maxDue = 5000

/** Seconds after which a run begins no further call: the rest stays due. */
const runSeconds = 40

/** Seconds for which the other deliveries of an endpoint wait that has just failed. */
const spareSeconds = 300

/** Days for which a delivery is known after it succeeded, and kept after it was given up. */
const [knownDays, keptDays] = [2, 30]

/**
 * Records what happened for each endpoint that is to be told, then calls them. A call that is lost is made again by
 * `deliverDue`; an event that comes again is not recorded again.
 *
 * @returns the number of deliveries that were given up
 */
export async function deliverMessage(deps: DeliverWebhooks, message: Message): Promise<number> {
  const { webhooks, now } = deps
  const { id, type, timestamp, orgId, data } = message
  const at = now()
  const endpoints = await (orgId === undefined ? webhooks.listAllEndpoints() : webhooks.listEndpoints(orgId))
  const told = endpoints.filter(({ events, disabledAt }) => disabledAt === undefined && events.includes(type))
  const body = JSON.stringify({ type, timestamp, data })
  const recorded: { readonly endpoint: Endpoint; readonly delivery: Delivery }[] = []
  await workAtOnce(told, calledAtOnce, async (endpoint) => {
    const key = { orgId: endpoint.orgId, endpointId: endpoint.endpointId, eventId: id }
    const delivery = { ...key, type, body, createdAt: at, attempts: 1 }
    if ((await webhooks.record(delivery, addSeconds(at, leaseSeconds))) === 'written')
      recorded.push({ endpoint, delivery })
  })
  let givenUp = 0
  await workAtOnce(recorded, calledAtOnce, async ({ endpoint, delivery }) => {
    if (now() > addSeconds(at, runSeconds)) return
    if ((await attempt(deps, endpoint, delivery)) === 'given up') givenUp += 1
  })
  return givenUp
}

/**
 * Calls what is due, an endpoint's deliveries one after the other. One that fails is spared for five minutes, and its
 * backlog keeps no other endpoint waiting.
 *
 * @returns the number of deliveries that were given up
 */
export async function deliverDue(deps: DeliverWebhooks): Promise<number> {
  const { webhooks, now } = deps
  const begun = now()
  const due = await webhooks.listDue(begun, maxDue)
  const ofEndpoints = Map.groupBy(due, ({ orgId, endpointId }) => `${orgId}#${endpointId}`)
  let givenUp = 0
  await workAtOnce(ofEndpoints.values(), calledAtOnce, async (own) => {
    const [first] = own
    const endpoint = first && (await webhooks.readEndpoint(first))
    let works = true
    for (const each of own) {
      if (now() > addSeconds(begun, runSeconds)) return
      if (!works) {
        await webhooks.postpone(each, addSeconds(now(), spareSeconds))
        continue
      }
      const delivery = await webhooks.claim(each, addSeconds(now(), leaseSeconds))
      if (delivery === undefined) continue
      // An operator removed it.
      if (endpoint === undefined) await webhooks.close(delivery, now())
      else {
        const outcome = await attempt(deps, endpoint, delivery)
        works = outcome === 'delivered' || endpoint.disabledAt !== undefined
        if (outcome === 'given up') givenUp += 1
      }
    }
  })
  return givenUp
}

type AttemptOutcome = 'delivered' | 'to be repeated' | 'given up'

/** Calls an endpoint, and notes what came of it. */
async function attempt(deps: DeliverWebhooks, endpoint: Endpoint, delivery: Delivery): Promise<AttemptOutcome> {
  const { webhooks, call, now, random, log } = deps
  const keep = async (failure: string): Promise<AttemptOutcome> => {
    await webhooks.giveUp(delivery, failure, now(), addSeconds(now(), secondsOfDays(keptDays)))
    return 'given up'
  }
  if (endpoint.disabledAt !== undefined) return keep('the endpoint is disabled')
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
    await webhooks.close(delivery, addSeconds(at, secondsOfDays(knownDays)))
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
  return keep(failure)
}
