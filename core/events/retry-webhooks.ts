import { addSeconds } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'
import { attemptCall, type CallsWebhooks, calledAtOnce, runSeconds } from './attempt-call.ts'
import { leaseSeconds } from './webhook.ts'

/** Deliveries read at once from the queue: keys of about 150 bytes, and a query reads 1 MB. */
const maxDue = 5000

/** Seconds for which the other deliveries of an endpoint wait that has just failed. */
const spareSeconds = 300

/**
 * Calls what is due, an endpoint's deliveries one after the other. One that fails is spared for five minutes, and its
 * backlog keeps no other endpoint waiting.
 *
 * @returns the number of deliveries that were given up
 */
export async function retryWebhooks(deps: CallsWebhooks): Promise<number> {
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
        const outcome = await attemptCall(deps, endpoint, delivery)
        works = outcome === 'delivered' || endpoint.disabledAt !== undefined
        if (outcome === 'given up') givenUp += 1
      }
    }
  })
  return givenUp
}
