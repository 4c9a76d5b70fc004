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

const isNew = 'attribute_not_exists(org_id)'

/** Condition that a delivery or an endpoint is in this queue. */
const isQueued = '#queue = :in'

/** Condition that a delivery is still due at the time that was listed. */
const isDue = '#queue = :in AND #at = :listed_at'

const [due, failed, endpoints] = [{ in: webhookQueue.due }, { in: webhookQueue.failed }, { in: webhookQueue.endpoints }]

/** Stores webhooks in DynamoDB (`webhooksTable` in schema/tables.ts). */
export function createDynamoWebhooks(client: DynamoDBDocumentClient, table: string): WebhookAdmin {
  return { ...createEndpointItems(client, table), ...createDeliveryItems(client, table) }
}

type DeliveryCalls =
  | 'record'
  | 'listDue'
  | 'lease'
  | 'postpone'
  | 'noteFailure'
  | 'giveUp'
  | 'close'
  | 'listFailed'
  | 'resend'

function createEndpointItems(client: DynamoDBDocumentClient, table: string): Omit<WebhookAdmin, DeliveryCalls> {
  const { putIf, setIf, remove, removeBelow } = tableWrites(client, table)
  const putIfNew = (item: Item) => putIf(item, isNew)
  return {
    listEndpoints: (orgId) =>
      Array.fromAsync(queryBelow(client, table, { org_id: orgId, item: webhookItem.endpoint('') }), parseEndpoint),

    listAllEndpoints: async () => (await readQueued(client, table, endpoints)).map(parseEndpoint),

    readEndpoint: async (endpoint) => (await readItems(client, table, [endpointKey(endpoint)])).map(parseEndpoint)[0],

    noteEndpointFails: (endpoint, lastFailure, failingSince) =>
      setIf(endpointKey(endpoint), { fields: { lastFailure }, condition: exists, absent: { failingSince } }),

    noteEndpointWorks: (endpoint) =>
      setIf(endpointKey(endpoint), {
        fields: { failingSince: undefined, lastFailure: undefined },
        condition: 'attribute_exists(failing_since)',
      }),

    disable: (endpoint, disabledBecause, disabledAt) => {
      const fields = { disabledAt, disabledBecause, queue: undefined, at: undefined }
      return setIf(endpointKey(endpoint), { fields, condition: isQueued, values: endpoints })
    },

    enable: ({ createdAt, ...endpoint }) => {
      const removed = {
        disabledAt: undefined,
        disabledBecause: undefined,
        failingSince: undefined,
        lastFailure: undefined,
      }
      const fields = { queue: webhookQueue.endpoints, at: createdAt, ...removed }
      return setIf(endpointKey(endpoint), { fields, condition: 'attribute_exists(disabled_at)' })
    },

    create: ({ secrets, ...endpoint }) =>
      putIfNew({
        ...endpointKey(endpoint),
        ...writeFields({ ...endpoint, queue: webhookQueue.endpoints, at: endpoint.createdAt }),
        secrets: secrets.map(writeFields),
      }),

    replaceSecrets: (endpoint, secrets) =>
      setIf(endpointKey(endpoint), {
        fields: { secrets: secrets.map(writeFields) },
        condition: 'secrets[0].secret = :former',
        values: { former: endpoint.secrets[0]?.secret },
      }),

    remove: async ({ orgId, endpointId }) => {
      await remove(endpointKey({ orgId, endpointId }))
      await removeBelow({ org_id: orgId, item: webhookItem.delivery(endpointId, '') })
    },
  }
}

function createDeliveryItems(client: DynamoDBDocumentClient, table: string): Pick<WebhookAdmin, DeliveryCalls> {
  const { putIf, setIf, updateAndReadIf } = tableWrites(client, table)
  const putIfNew = (item: Item) => putIf(item, isNew)
  return {
    record: (delivery, at) =>
      putIfNew({ ...deliveryKey(delivery), ...writeFields({ ...delivery, queue: webhookQueue.due, at }) }),

    listDue: async (at, limit) => {
      const deliveries = queryIndex(client, {
        table,
        index: webhooksIndex,
        condition: `${isQueued} AND #at <= :until`,
        values: { ...due, until: at },
        page: { Limit: limit },
      })
      return (await takeItems(deliveries, limit)).map((entry) => {
        const { org_id: orgId, item, at: dueAt } = v.parse(queuedItem, entry)
        return { orgId, ...webhookItem.parseDelivery(item), dueAt }
      })
    },

    lease: async (delivery, at) => {
      const values = { ...due, listedAt: delivery.dueAt, at, one: 1 }
      const change = 'SET #at = :at, attempts = attempts + :one'
      const item = await updateAndReadIf(deliveryKey(delivery), { change, condition: isDue, values })
      return item && parseDelivery(item)
    },

    postpone: (delivery, at) =>
      setIf(deliveryKey(delivery), {
        fields: { at },
        condition: isDue,
        values: { ...due, listedAt: delivery.dueAt },
      }),

    noteFailure: (delivery, lastFailure, at) =>
      setIf(deliveryKey(delivery), { fields: { at, lastFailure }, condition: isQueued, values: due }),

    giveUp: (delivery, lastFailure, at, expiresAt) => {
      const fields = { queue: webhookQueue.failed, at, lastFailure, expiresAt: epochSeconds(expiresAt) }
      return setIf(deliveryKey(delivery), { fields, condition: isQueued, values: due })
    },

    close: (delivery, expiresAt) => {
      const removed = { queue: undefined, at: undefined, body: undefined, lastFailure: undefined }
      const fields = { expiresAt: epochSeconds(expiresAt), ...removed }
      return setIf(deliveryKey(delivery), { fields, condition: exists })
    },

    listFailed: async (orgId) => {
      const items = await readQueued(client, table, failed)
      return items
        .map((item): FailedDelivery => ({ ...parseDelivery(item), failedAt: v.parse(queuedItem, item).at }))
        .filter((each) => orgId === undefined || each.orgId === orgId)
        .sort((a, b) => a.failedAt.getTime() - b.failedAt.getTime())
    },

    resend: (delivery, at) => {
      const fields = { queue: webhookQueue.due, at, createdAt: at, attempts: 0, expiresAt: undefined }
      return setIf(deliveryKey(delivery), { fields, condition: isQueued, values: failed })
    },
  }
}

/** Reads the items to which the index leads, without those that have left the queue since: the index may be older. */
async function readQueued(client: DynamoDBDocumentClient, table: string, queue: { readonly in: string }) {
  const entries = queryIndex(client, { table, index: webhooksIndex, condition: isQueued, values: queue })
  const keys = await Array.fromAsync(entries, (entry) => {
    const { org_id, item } = v.parse(queuedItem, entry)
    return { org_id, item }
  })
  const items = await readItems(client, table, keys)
  return items.filter((item) => item[webhooksIndex.partitionKey] === queue.in)
}
