import { appendFileSync } from 'node:fs'
import * as v from 'valibot'
import type { RunningServer } from '../http-server.ts'
import { startJsonEndpoint } from '../json-endpoint.ts'
import type { ServiceEvent } from '../peers.ts'
import { localRegion } from '../stack-template.ts'

export interface EventBridgeOptions {
  /** Gets every accepted event before it is acknowledged, one line of JSON each. */
  readonly file: string
  readonly now: () => Date
  readonly newId: () => string
  /** Gets every accepted event. */
  readonly onEvent: (event: ServiceEvent & { readonly id: string }) => void
  /** The default, 0, picks a free port. */
  readonly port?: number
}

/** Entries of one call. Source: EventBridge API Reference, PutEvents. */
const maxEntries = 10

const putSchema = v.object({
  Entries: v.pipe(
    v.array(
      v.object({
        Source: v.optional(v.string()),
        DetailType: v.optional(v.string()),
        Detail: v.optional(v.string()),
        Time: v.optional(v.number()),
        EventBusName: v.optional(v.string()),
      }),
    ),
    v.minLength(1),
    v.maxLength(maxEntries),
  ),
})

type Entry = v.InferOutput<typeof putSchema>['Entries'][number]

/** Serves the EventBridge API as far as functions use it: PutEvents on the default bus. */
export function startEventBridge(options: EventBridgeOptions): Promise<RunningServer> {
  return startJsonEndpoint({ PutEvents: (input) => putEvents(options, input) }, options.port)
}

function putEvents(options: EventBridgeOptions, input: unknown): object {
  const results = v.parse(putSchema, input).Entries.map((entry) => accept(options, entry))
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results }
}

type Result = { readonly EventId: string } | { readonly ErrorCode: string; readonly ErrorMessage: string }

function accept({ file, now, newId, onEvent }: EventBridgeOptions, entry: Entry): Result {
  const { Source = '', DetailType = '', Detail = '', Time, EventBusName = 'default' } = entry
  if (EventBusName !== 'default')
    return refuse('ResourceNotFoundException', `Event bus ${EventBusName} does not exist.`)
  if (Source === '' || DetailType === '')
    return refuse('InvalidArgument', `Parameter ${Source === '' ? 'Source' : 'DetailType'} is not valid.`)
  if (Source.startsWith('aws.')) return refuse('NotAuthorizedForSourceException', 'Not authorized for the source.')
  const detail = v.safeParse(v.record(v.string(), v.unknown()), parseJson(Detail))
  if (!detail.success) return refuse('MalformedDetail', 'Detail is malformed.')
  const event = {
    version: '0',
    id: newId(),
    'detail-type': DetailType,
    source: Source,
    account: '000000000000',
    time: (Time === undefined ? now() : new Date(Time * 1000)).toISOString().replace(/\.\d+Z$/, 'Z'),
    region: localRegion,
    resources: [],
    detail: detail.output,
  }
  appendFileSync(file, `${JSON.stringify(event)}\n`)
  onEvent(event)
  return { EventId: event.id }
}

const refuse = (ErrorCode: string, ErrorMessage: string): Result => ({ ErrorCode, ErrorMessage })

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
