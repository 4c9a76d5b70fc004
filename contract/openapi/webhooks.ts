import type * as v from 'valibot'
import type { Schemas } from '../call.ts'
import { describeSchema } from './json-schema.ts'
import type { WebhookObject } from './openapi-document.ts'

const headers: Readonly<Record<string, string>> = {
  'webhook-id': 'The same in all calls of an event: drop those that you have seen.',
  'webhook-timestamp': 'When this call was made, in seconds since 1970.',
  'webhook-signature': 'Signatures of the call, `v1,` and Base64, with a space between them while a secret is rotated.',
}

/** Describes calls that the service makes, which Standard Webhooks 1.0 defines. */
export function describeWebhooks(bodies: Schemas, components: Schemas): Readonly<Record<string, WebhookObject>> {
  return Object.fromEntries(
    Object.entries(bodies).map(([event, body]) => [event, { post: describeWebhook(event, body, components) }]),
  )
}

function describeWebhook(event: string, body: v.GenericSchema, components: Schemas): WebhookObject['post'] {
  const { description = '', ...schema } = describeSchema(body, components)
  return {
    operationId: `webhook-${event.replace(/\W|_/g, '-')}`,
    summary: `Event ${event}`,
    description: `${description} Verify it with a library of Standard Webhooks, and answer within ten seconds.`,
    security: [],
    parameters: Object.entries(headers).map(([name, meaning]) => ({
      name,
      in: 'header',
      required: true,
      description: meaning,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'Received; any other answer is a failure, and the call is made again.' } },
  }
}
