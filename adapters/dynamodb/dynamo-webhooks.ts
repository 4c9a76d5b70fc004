import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { DeliveryKey, DueDelivery, EndpointKey, FailedDelivery, WebhookAdmin } from '../../core/events/ports.ts'
import type { Delivery, Endpoint } from '../../core/events/webhook.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { webhookEvents } from '../../schema/events.ts'
import { webhookItem, webhookQueue, webhooksIndex } from '../../schema/tables.ts'
import { type Item, queryBelow, queryItems, readItems } from './dynamo-client.ts'
import { epochSeconds, readFields, storedTime, writeFields } from './stored-fields.ts'
import { type Conditional, tableWrites } from './table-writes.ts'

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

const exists: Conditional = { condition: 'attribute_exists(org_id)' }

/** Of a delivery or an endpoint that is in this queue. */
const isQueued = (queue: string): Conditional => ({
  condition: '#queue = :in',
  names: { '#queue': webhooksIndex.partitionKey },
  values: { ':in': queue },
})

/** Of a delivery that is due as it was listed. */
const isDue = ({ dueAt }: Pick<DueDelivery, 'dueAt'>): Conditional => ({
  condition: '#queue = :in AND #at = :seen',
  names: { '#queue': webhooksIndex.partitionKey, '#at': webhooksIndex.sortKey },
  values: { ':in': webhookQueue.due, ':seen': dueAt.toISOString() },
})

/** Stores webhooks in DynamoDB (`webhooksTable` in schema/tables.ts). */
export function createDynamoWebhooks(client: DynamoDBDocumentClient, TableName: string): WebhookAdmin {
  const { putIf, setIf, updateAndReadIf, remove } = tableWrites(client, TableName)
  const ofQueue = ({ condition, names, values }: Conditional) => ({
    TableName,
    IndexName: webhooksIndex.name,
    KeyConditionExpression: condition,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  })
  const putNew = (item: Item) => putIf(item, { condition: 'attribute_not_exists(org_id)' })
  /** What the index leads to, as it is now: the index may be older. */
  const readQueued = async (queue: string) => {
    const keys = await Array.fromAsync(queryItems(client, ofQueue(isQueued(queue))), (item) =>
      v.parse(queuedItem, item),
    )
    const items = await readItems(
      client,
      TableName,
      keys.map(({ org_id, item }) => ({ org_id, item })),
    )
    return items.filter((item) => item[webhooksIndex.partitionKey] === queue)
  }

  return {
    listEndpoints: (orgId) =>
      Array.fromAsync(queryBelow(client, TableName, { org_id: orgId, item: webhookItem.endpoint('') }), parseEndpoint),

    listAllEndpoints: async () => (await readQueued(webhookQueue.endpoints)).map(parseEndpoint),

    readEndpoint: async (endpoint) =>
      (await readItems(client, TableName, [endpointKey(endpoint)])).map(parseEndpoint)[0],

    record: (delivery, at) =>
      putNew({ ...deliveryKey(delivery), ...writeFields({ ...delivery, queue: webhookQueue.due, at }) }),

    listDue: async (at, limit) => {
      const due = { ...isDue({ dueAt: at }), condition: '#queue = :in AND #at <= :seen' }
      const { Items = [] } = await client.send(new QueryCommand({ ...ofQueue(due), Limit: limit }))
      return Items.map((found) => {
        const { org_id: orgId, item, at: dueAt } = v.parse(queuedItem, found)
        return { orgId, ...webhookItem.parseDelivery(item), dueAt }
      })
    },

    claim: async (due, dueAt) => {
      const { values, ...conditional } = isDue(due)
      const item = await updateAndReadIf(deliveryKey(due), 'SET #at = :at, attempts = attempts + :one', {
        ...conditional,
        values: { ...values, ':at': dueAt.toISOString(), ':one': 1 },
      })
      return item && parseDelivery(item)
    },

    postpone: (due, at) => setIf(deliveryKey(due), { at }, isDue(due)),

    noteFailure: (delivery, lastFailure, at) =>
      setIf(deliveryKey(delivery), { at, lastFailure }, isQueued(webhookQueue.due)),

    giveUp: (delivery, lastFailure, at, expiresAt) => {
      const kept = { queue: webhookQueue.failed, at, lastFailure, expiresAt: epochSeconds(expiresAt) }
      return setIf(deliveryKey(delivery), kept, isQueued(webhookQueue.due))
    },

    close: (delivery, expiresAt) => {
      const none = { queue: undefined, at: undefined, body: undefined, lastFailure: undefined }
      return setIf(deliveryKey(delivery), { expiresAt: epochSeconds(expiresAt), ...none }, exists)
    },

    noteEndpointFails: (endpoint, lastFailure, failingSince) =>
      setIf(endpointKey(endpoint), { lastFailure }, exists, { failingSince }),

    noteEndpointWorks: (endpoint) =>
      setIf(
        endpointKey(endpoint),
        { failingSince: undefined, lastFailure: undefined },
        { condition: 'attribute_exists(failing_since)' },
      ),

    disable: (endpoint, disabledBecause, disabledAt) => {
      const disabled = { disabledAt, disabledBecause, queue: undefined, at: undefined }
      return setIf(endpointKey(endpoint), disabled, isQueued(webhookQueue.endpoints))
    },

    enable: ({ createdAt, ...endpoint }) => {
      const none = {
        disabledAt: undefined,
        disabledBecause: undefined,
        failingSince: undefined,
        lastFailure: undefined,
      }
      const enabled = { queue: webhookQueue.endpoints, at: createdAt, ...none }
      return setIf(endpointKey(endpoint), enabled, { condition: 'attribute_exists(disabled_at)' })
    },

    create: ({ secrets, ...endpoint }) =>
      putNew({
        ...endpointKey(endpoint),
        ...writeFields({ ...endpoint, queue: webhookQueue.endpoints, at: endpoint.createdAt }),
        secrets: secrets.map(writeFields),
      }),

    replaceSecrets: (endpoint, secrets) =>
      setIf(
        endpointKey(endpoint),
        { secrets: secrets.map(writeFields) },
        { condition: 'secrets[0].secret = :seen', values: { ':seen': endpoint.secrets[0]?.secret } },
      ),

    remove: async ({ orgId, endpointId }) => {
      await remove(endpointKey({ orgId, endpointId }))
      const item = webhookItem.delivery(endpointId, '')
      const deliveries = await Array.fromAsync(queryBelow(client, TableName, { org_id: orgId, item }))
      await workAtOnce(deliveries, 25, (found) => remove({ org_id: orgId, item: found['item'] }))
    },

    listFailed: async (orgId) => {
      const items = await readQueued(webhookQueue.failed)
      const failed = items.map((item): FailedDelivery => {
        const { at: failedAt } = v.parse(queuedItem, item)
        return { ...parseDelivery(item), failedAt }
      })
      return failed
        .filter((each) => orgId === undefined || each.orgId === orgId)
        .sort((a, b) => a.failedAt.getTime() - b.failedAt.getTime())
    },

    resend: (delivery, at) => {
      const due = { queue: webhookQueue.due, at, createdAt: at, attempts: 0, expiresAt: undefined }
      return setIf(deliveryKey(delivery), due, isQueued(webhookQueue.failed))
    },
  }
}
