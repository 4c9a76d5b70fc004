import * as v from 'valibot'
import type { Message } from '../../core/events/webhook.ts'
import { serviceEvents, webhookEvents } from '../../schema/events.ts'

/** An event of the bus. Fields that a later version adds to a detail are passed on. */
const busEvent = v.object({
  'detail-type': v.picklist(webhookEvents.map((type) => serviceEvents[type].detailType)),
  detail: v.looseObject({ id: v.string(), version: v.number() }),
})

/**
 * Reads an event of the bus. A webhook is sent the fields of its detail, except those that the webhook's own form has.
 *
 * @returns undefined for the event of a schedule: until version 0.2 a timer called this function, and such a call can
 *   still arrive while a stage is upgraded
 * @throws ValiError if the event is of no type that the service sends, or lacks its organization or time
 */
export function readBusEvent(event: unknown): Message | undefined {
  if (v.is(v.object({ source: v.literal('aws.events') }), event)) return undefined
  const { detail, 'detail-type': detailType } = v.parse(busEvent, event)
  const { id, version: _, ...data } = detail
  const type = webhookEvents.find((candidate) => serviceEvents[candidate].detailType === detailType)
  if (type === undefined) throw new Error(`no event has the detail type ${detailType}`)
  const { audience, timeFields } = serviceEvents[type]
  const times = timeFields.map((field) => data[field]).filter((time) => time !== undefined)
  const message = { id, type, timestamp: v.parse(v.string(), times[0]), data }
  // Without this check, the event of one organization would reach the webhooks of all.
  return audience === 'organization' ? { ...message, orgId: v.parse(v.string(), data['org_id']) } : message
}
