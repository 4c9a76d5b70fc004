import { addSeconds } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'
import { attemptCall, type CallsWebhooks, calledAtOnce, runSeconds } from './attempt-call.ts'
import { leaseSeconds } from './webhook.ts'

/** Deliveries read at once from the queue: keys of about 150 bytes, and a query reads 1 MB. */
const maxDue = 5000

/** Seconds without calls to an endpoint after one of its calls failed. */
const pauseSeconds = 300

/**
 * Makes the calls that are due, an endpoint's deliveries one after the other. After a failure, an endpoint gets no
 * calls for five minutes, so that its backlog cannot delay other endpoints.
 *
 * @returns the number of deliveries that were given up
 */
export async function retryWebhooks(deps: CallsWebhooks): Promise<number> {
  const { webhooks, now } = deps
  const begun = now()
  const due = await webhooks.listDue(begun, maxDue)
  const backlogs = Map.groupBy(due, ({ orgId, endpointId }) => `${orgId}#${endpointId}`)
  let givenUp = 0
  await workAtOnce(backlogs.values(), calledAtOnce, async (backlog) => {
    const [first] = backlog
    const endpoint = first && (await webhooks.readEndpoint(first))
    let works = true
    for (const each of backlog) {
      if (now() > addSeconds(begun, runSeconds)) return
      if (!works) {
        await webhooks.postpone(each, addSeconds(now(), pauseSeconds))
        continue
      }
      const delivery = await webhooks.lease(each, addSeconds(now(), leaseSeconds))
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
