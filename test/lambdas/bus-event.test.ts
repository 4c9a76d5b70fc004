import { describe, expect, it } from 'vitest'
import { readBusEvent } from '../../lambdas/deliver-webhooks/bus-event.ts'
import { serviceEvents } from '../../schema/events.ts'

const detail = { id: 'event', version: 1, org_id: 'org', created_at: '1', failed_at: '2', ended_at: '3', later: true }

describe('reading an event of the bus', () => {
  it.each(Object.entries(serviceEvents))(
    'reads the detail type of %s',
    (type, { detailType, audience, timeFields }) => {
      const { id, version: _, ...data } = detail
      const [timestamp] = timeFields.flatMap((field) => (field in detail ? [Reflect.get(detail, field)] : []))
      const orgId = audience === 'organization' ? { orgId: 'org' } : {}
      expect(readBusEvent({ 'detail-type': detailType, detail })).toEqual({ id, type, timestamp, data, ...orgId })
    },
  )

  it('refuses an event for one organization that does not name it', () => {
    const { org_id: _, ...unnamed } = detail
    expect(() => readBusEvent({ 'detail-type': 'Search Ended', detail: unnamed })).toThrow('string')
  })

  it('refuses a detail type that the service does not send', () => {
    expect(() => readBusEvent({ 'detail-type': 'Search Begun', detail })).toThrow('Search Begun')
  })
})
