import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { DeliveryKey, EndpointKey, FailedDelivery, WebhookAdmin } from '../../core/events/ports.ts'
import type { Delivery, Endpoint } from '../../core/events/webhook.ts'
import { webhookEvents } from '../../schema/events.ts'
import { webhookItem, webhookQueue, webhooksIndex } from '../../schema/tables.ts'
import { queryBelow, queryIndex, readItems, takeItems } from './dynamo-client.ts'
import { epochSeconds, type Item, readFields, storedTime, writeFields } from './stored-fields.ts'
import { tableWrites } from './table-writes.ts'

const endpointItem = v.object({
  org_id: v.string(),
  endpoint_id: v.string(),
  url: v.string(),
  events: v.array(v.picklist(webhookEvents)),
  created_at: storedTime,
  secrets: v.array(v.object({ secret: v.string(), ends_at: v.exactOptional(storedTime) })),
  failing_since: v.exactOptional(storedTime),
  last_failure: v.exactOptional(v.string()),
  disabled_at: v.exactOptional(storedTime),
  disabled_because: v.exactOptional(v.string()),
})

const deliveryItem = v.object({
  org_id: v.string(),
  endpoint_id: v.string(),
  event_id: v.string(),
  type: v.string(),
  body: v.string(),
  created_at: storedTime,
  attempts: v.number(),
  last_failure: v.exactOptional(v.string()),
})

const queuedItem = v.object({ org_id: v.string(), item: v.string(), at: storedTime })

const endpointKey = ({ orgId, endpointId }: EndpointKey) => ({ org_id: orgId, item: webhookItem.endpoint(endpointId) })

const deliveryKey = ({ orgId, endpointId, eventId }: DeliveryKey) => ({
  org_id: orgId,
  item: webhookItem.delivery(endpointId, eventId),
})

const parseDelivery = (item: Item): Delivery => readFields(v.parse(deliveryItem, item))

function parseEndpoint(item: Item): Endpoint {
  const { secrets, ...endpoint } = readFields(v.parse(endpointItem, item))
  return { ...endpoint, secrets: secrets.map(readFields) }
}

const exists = 'attribute_exists(org_id)'

/** Of a delivery or an endpoint that is in this queue. */
const isQueued = '#queue = :in'

/** Of a delivery that is due as it was listed. */
const isDue = '#queue = :in AND #at = :seen'

const [due, failed, endpoints] = [{ in: webhookQueue.due }, { in: webhookQueue.failed }, { in: webhookQueue.endpoints }]

/** Stores webhooks in DynamoDB (`webhooksTable` in schema/tables.ts). */
export function createDynamoWebhooks(client: DynamoDBDocumentClient, TableName: string): WebhookAdmin {
  const { putIf, setIf, updateAndReadIf, remove, removeBelow } = tableWrites(client, TableName)
  const putNew = (item: Item) => putIf(item, 'attribute_not_exists(org_id)')
  /** What the index leads to, as it is now: the index may be older. */
  const readQueued = async (queue: { readonly in: string }) => {
    const found = queryIndex(client, TableName, webhooksIndex, isQueued, queue)
    const keys = await Array.fromAsync(found, (stored) => {
      const { org_id, item } = v.parse(queuedItem, stored)
      return { org_id, item }
    })
    const items = await readItems(client, TableName, keys)
    return items.filter((item) => item[webhooksIndex.partitionKey] === queue.in)
  }
  return {
    listEndpoints: (orgId) =>
      Array.fromAsync(queryBelow(client, TableName, { org_id: orgId, item: webhookItem.endpoint('') }), parseEndpoint),

    listAllEndpoints: async () => (await readQueued(endpoints)).map(parseEndpoint),

    readEndpoint: async (endpoint) =>
      (await readItems(client, TableName, [endpointKey(endpoint)])).map(parseEndpoint)[0],

    record: (delivery, at) =>
      putNew({ ...deliveryKey(delivery), ...writeFields({ ...delivery, queue: webhookQueue.due, at }) }),

    listDue: async (at, limit) => {
      const condition = `${isQueued} AND #at <= :until`
      const found = queryIndex(client, TableName, webhooksIndex, condition, { ...due, until: at }, { Limit: limit })
      return (await takeItems(found, limit)).map((stored) => {
        const { org_id: orgId, item, at: dueAt } = v.parse(queuedItem, stored)
        return { orgId, ...webhookItem.parseDelivery(item), dueAt }
      })
    },

    claim: async (delivery, at) => {
      const values = { ...due, seen: delivery.dueAt, at, one: 1 }
      const change = 'SET #at = :at, attempts = attempts + :one'
      const item = await updateAndReadIf(deliveryKey(delivery), change, isDue, values)
      return item && parseDelivery(item)
    },

    postpone: (delivery, at) => setIf(deliveryKey(delivery), { at }, isDue, { ...due, seen: delivery.dueAt }),

    noteFailure: (delivery, lastFailure, at) => setIf(deliveryKey(delivery), { at, lastFailure }, isQueued, due),

    giveUp: (delivery, lastFailure, at, expiresAt) => {
      const kept = { queue: webhookQueue.failed, at, lastFailure, expiresAt: epochSeconds(expiresAt) }
      return setIf(deliveryKey(delivery), kept, isQueued, due)
    },

    close: (delivery, expiresAt) => {
      const none = { queue: undefined, at: undefined, body: undefined, lastFailure: undefined }
      return setIf(deliveryKey(delivery), { expiresAt: epochSeconds(expiresAt), ...none }, exists)
    },

    noteEndpointFails: (endpoint, lastFailure, failingSince) =>
      setIf(endpointKey(endpoint), { lastFailure }, exists, {}, { failingSince }),

    noteEndpointWorks: (endpoint) =>
      setIf(
        endpointKey(endpoint),
        { failingSince: undefined, lastFailure: undefined },
        'attribute_exists(failing_since)',
      ),

    disable: (endpoint, disabledBecause, disabledAt) => {
      const disabled = { disabledAt, disabledBecause, queue: undefined, at: undefined }
      return setIf(endpointKey(endpoint), disabled, isQueued, endpoints)
    },

    enable: ({ createdAt, ...endpoint }) => {
      const none = {
        disabledAt: undefined,
        disabledBecause: undefined,
        failingSince: undefined,
        lastFailure: undefined,
      }
      const enabled = { queue: webhookQueue.endpoints, at: createdAt, ...none }
      return setIf(endpointKey(endpoint), enabled, 'attribute_exists(disabled_at)')
    },

    create: ({ secrets, ...endpoint }) =>
      putNew({
        ...endpointKey(endpoint),
        ...writeFields({ ...endpoint, queue: webhookQueue.endpoints, at: endpoint.createdAt }),
        secrets: secrets.map(writeFields),
      }),

    replaceSecrets: (endpoint, secrets) =>
      setIf(endpointKey(endpoint), { secrets: secrets.map(writeFields) }, 'secrets[0].secret = :seen', {
        seen: endpoint.secrets[0]?.secret,
      }),

    remove: async ({ orgId, endpointId }) => {
      await remove(endpointKey({ orgId, endpointId }))
      await removeBelow({ org_id: orgId, item: webhookItem.delivery(endpointId, '') })
    },

    listFailed: async (orgId) => {
      const items = await readQueued(failed)
      return items
        .map((item): FailedDelivery => ({ ...parseDelivery(item), failedAt: v.parse(queuedItem, item).at }))
        .filter((each) => orgId === undefined || each.orgId === orgId)
        .sort((a, b) => a.failedAt.getTime() - b.failedAt.getTime())
    },

    resend: (delivery, at) => {
      const again = { queue: webhookQueue.due, at, createdAt: at, attempts: 0, expiresAt: undefined }
      return setIf(deliveryKey(delivery), again, isQueued, failed)
    },
  }
}
