import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { DeliveryKey, EndpointKey, FailedDelivery, WebhookAdmin } from '../../core/events/ports.ts'
import type { Delivery, Endpoint, EndpointSecret } from '../../core/events/webhook.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { webhookEvents } from '../../schema/events.ts'
import { webhookItem, webhookQueue, webhooksIndex } from '../../schema/tables.ts'
import { type Item, queryBelow, queryItems, readItems } from './dynamo-client.ts'
import { readFields, storedTime, writeFields } from './stored-fields.ts'
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

const writeSecrets = (secrets: readonly EndpointSecret[]) => secrets.map(writeFields)

const isQueued = '#queue = :queue'

/** Stores webhooks in DynamoDB (`webhooksTable` in schema/tables.ts). */
export function createDynamoWebhooks(client: DynamoDBDocumentClient, TableName: string): WebhookAdmin {
  const { putIf, updateIf, updateAndReadIf, remove } = tableWrites(client, TableName)
  const names = { '#queue': webhooksIndex.partitionKey, '#at': webhooksIndex.sortKey }
  const ofQueue = (queue: string, by?: Date) => ({
    TableName,
    IndexName: webhooksIndex.name,
    KeyConditionExpression: by === undefined ? isQueued : `${isQueued} AND #at <= :by`,
    ExpressionAttributeNames: by === undefined ? { '#queue': names['#queue'] } : names,
    ExpressionAttributeValues: { ':queue': queue, ...(by !== undefined && { ':by': by.toISOString() }) },
  })
  const putNew = (item: Item) => putIf(item, { condition: 'attribute_not_exists(org_id)' })
  /** Changes a delivery or an endpoint that is in this queue. */
  const move = (key: Item, queue: string, change: string, values: Item) =>
    updateIf(key, change, { condition: isQueued, names, values: { ':queue': queue, ...values } })
  /** What the index leads to, as it is now: the index may be older. */
  const readQueued = async (queue: string) => {
    const keys = await Array.fromAsync(queryItems(client, ofQueue(queue)), (item) => v.parse(queuedItem, item))
    const items = await readItems(
      client,
      TableName,
      keys.map(({ org_id, item }) => ({ org_id, item })),
    )
    return items.filter((item) => item[webhooksIndex.partitionKey] === queue)
  }
  const asSeen = (dueAt: Date) => ({ condition: `${isQueued} AND #at = :seen`, names, seen: dueAt.toISOString() })

  return {
    listEndpoints: (orgId) =>
      Array.fromAsync(queryBelow(client, TableName, { org_id: orgId, item: webhookItem.endpoint('') }), parseEndpoint),

    listAllEndpoints: async () => (await readQueued(webhookQueue.endpoints)).map(parseEndpoint),

    readEndpoint: async (endpoint) =>
      (await readItems(client, TableName, [endpointKey(endpoint)])).map(parseEndpoint)[0],

    record: (delivery, at) =>
      putNew({ ...deliveryKey(delivery), ...writeFields({ ...delivery, queue: webhookQueue.due, at }) }),

    listDue: async (at, limit) => {
      const { Items = [] } = await client.send(new QueryCommand({ ...ofQueue(webhookQueue.due, at), Limit: limit }))
      return Items.map((found) => {
        const { org_id: orgId, item, at: dueAt } = v.parse(queuedItem, found)
        return { orgId, ...webhookItem.parseDelivery(item), dueAt }
      })
    },

    claim: async (due, dueAt) => {
      const { seen, ...conditional } = asSeen(due.dueAt)
      const values = { ':queue': webhookQueue.due, ':seen': seen, ':at': dueAt.toISOString(), ':one': 1 }
      const change = 'SET #at = :at, attempts = attempts + :one'
      const item = await updateAndReadIf(deliveryKey(due), change, { ...conditional, values })
      return item && parseDelivery(item)
    },

    postpone: (due, dueAt) => {
      const { seen, ...conditional } = asSeen(due.dueAt)
      const values = { ':queue': webhookQueue.due, ':seen': seen, ':at': dueAt.toISOString() }
      return updateIf(deliveryKey(due), 'SET #at = :at', { ...conditional, values })
    },

    noteFailure: (delivery, failure, dueAt) =>
      move(deliveryKey(delivery), webhookQueue.due, 'SET #at = :at, last_failure = :failure', {
        ':at': dueAt.toISOString(),
        ':failure': failure,
      }),

    giveUp: (delivery, failure, at, expiresAt) =>
      move(
        deliveryKey(delivery),
        webhookQueue.due,
        'SET #queue = :failed, #at = :at, last_failure = :failure, expires_at = :expires',
        {
          ':failed': webhookQueue.failed,
          ':at': at.toISOString(),
          ':failure': failure,
          ':expires': seconds(expiresAt),
        },
      ),

    close: (delivery, expiresAt) =>
      updateIf(deliveryKey(delivery), 'SET expires_at = :expires REMOVE #queue, #at, body, last_failure', {
        condition: 'attribute_exists(org_id)',
        names,
        values: { ':expires': seconds(expiresAt) },
      }),

    noteEndpointFails: (endpoint, failure, at) =>
      updateIf(
        endpointKey(endpoint),
        'SET failing_since = if_not_exists(failing_since, :at), last_failure = :failure',
        { condition: 'attribute_exists(org_id)', values: { ':at': at.toISOString(), ':failure': failure } },
      ),

    noteEndpointWorks: (endpoint) =>
      updateIf(endpointKey(endpoint), 'REMOVE failing_since, last_failure', {
        condition: 'attribute_exists(failing_since)',
      }),

    disable: (endpoint, because, at) =>
      move(
        endpointKey(endpoint),
        webhookQueue.endpoints,
        'SET disabled_at = :at, disabled_because = :because REMOVE #queue, #at',
        { ':at': at.toISOString(), ':because': because },
      ),

    enable: ({ createdAt, ...endpoint }) =>
      updateIf(
        endpointKey(endpoint),
        'SET #queue = :queue, #at = :at REMOVE disabled_at, disabled_because, failing_since, last_failure',
        {
          condition: 'attribute_exists(disabled_at)',
          names,
          values: { ':queue': webhookQueue.endpoints, ':at': createdAt.toISOString() },
        },
      ),

    create: ({ secrets, ...endpoint }) =>
      putNew({
        ...endpointKey(endpoint),
        ...writeFields({ ...endpoint, queue: webhookQueue.endpoints, at: endpoint.createdAt }),
        secrets: writeSecrets(secrets),
      }),

    replaceSecrets: (endpoint, secrets) =>
      updateIf(endpointKey(endpoint), 'SET secrets = :next', {
        condition: 'secrets[0].secret = :seen',
        values: { ':next': writeSecrets(secrets), ':seen': endpoint.secrets[0]?.secret },
      }),

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

    resend: (delivery, at) =>
      move(
        deliveryKey(delivery),
        webhookQueue.failed,
        'SET #queue = :due, #at = :at, created_at = :at, attempts = :none REMOVE expires_at',
        { ':due': webhookQueue.due, ':at': at.toISOString(), ':none': 0 },
      ),
  }
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1000)
