import * as v from 'valibot'
import type { Message } from '../../core/events/webhook.ts'
import { feeSchedulesUpdatedType, searchEndedType } from '../../schema/events.ts'

const ended = v.looseObject({
  id: v.string(),
  version: v.number(),
  org_id: v.string(),
  created_at: v.string(),
  completed_at: v.optional(v.string()),
  failed_at: v.optional(v.string()),
})
const updated = v.looseObject({ id: v.string(), version: v.number(), ended_at: v.string() })

const busEvent = v.variant('detail-type', [
  v.object({ 'detail-type': v.literal(searchEndedType), detail: ended }),
  v.object({ 'detail-type': v.literal(feeSchedulesUpdatedType), detail: updated }),
])

/**
 * Reads an event of the bus. A webhook has its fields without those that the webhook's own form replaces.
 *
 * @returns undefined for the event of a schedule: until version 0.2 a timer called this function, and a call of that timer
 *   can still arrive while a stage is upgraded
 */
export function readBusEvent(event: unknown): Message | undefined {
  if (v.is(v.object({ source: v.literal('aws.events') }), event)) return undefined
  const { detail, ...given } = v.parse(busEvent, event)
  const { id, version: _, ...data } = detail
  if (given['detail-type'] === searchEndedType) {
    const { org_id, created_at, completed_at, failed_at } = v.parse(ended, detail)
    return { id, type: 'search.ended', timestamp: completed_at ?? failed_at ?? created_at, orgId: org_id, data }
  }
  return { id, type: 'fee_schedules.updated', timestamp: v.parse(updated, detail).ended_at, data }
}
