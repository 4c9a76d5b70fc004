import type { LostEvent } from '../../adapters/sqs-lost-events.ts'
import { at } from '../../schema/at.ts'

/** Functions whose lost events are kept, by their constructs. */
export type Handler = 'DeliverWebhooks' | 'RecordFailure'

/** Treatment of a lost event: the function to call, or none. */
export type Redrive =
  | { readonly handler: Handler; readonly event: unknown; readonly what: string }
  /** Nothing is lost by deleting it. */
  | { readonly handler: undefined; readonly what: string }

/** Description of a body that belongs to no function of the service. */
export const unknownBody = 'not an event of the service'

/**
 * Finds the function of a lost event, which its message does not name. EventBridge keeps whole events, and Lambda keeps
 * the payload of the call: `record-failure` is called with the detail of its events.
 */
export function readLostEvent({ body }: Pick<LostEvent, 'body'>): Redrive | undefined {
  const event = parseObject(body)
  if (event === undefined) return undefined
  const { source, detail } = event
  if (source === 'aws.events') return { handler: undefined, what: 'a call of a timer' }
  if (typeof source === 'string' && source.startsWith('rate-search.'))
    return { handler: 'DeliverWebhooks', event, what: describeBusEvent(event) }
  const ended = source === 'aws.states' ? detail : event
  if (isObject(ended) && 'executionArn' in ended && 'status' in ended)
    return {
      handler: 'RecordFailure',
      event: ended,
      what: `execution ${ended['status']}: ${String(ended['executionArn']).split(':').at(-1)}`,
    }
  return undefined
}

/** Returns the reason of a loss in the words of EventBridge or Lambda. */
export function describeLoss({ attributes }: Pick<LostEvent, 'attributes'>): string {
  const { ErrorMessage, ErrorCode, ERROR_MESSAGE, ERROR_CODE } = attributes
  return at((ErrorMessage ?? ERROR_MESSAGE ?? ErrorCode ?? ERROR_CODE ?? 'unknown').split('\n'), 0)
}

function describeBusEvent({ detail, ...event }: Readonly<Record<string, unknown>>): string {
  const about = isObject(detail) ? (detail['job_id'] ?? detail['load_id']) : undefined
  return [String(event['detail-type']), ...(about === undefined ? [] : [String(about)])].join(': ')
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
