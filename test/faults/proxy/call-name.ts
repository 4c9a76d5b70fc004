import * as v from 'valibot'
import type { ObservedService } from '../../../local/endpoint.ts'
import type { PassingCall } from '../../local/call-proxy.ts'

/** Name that the harness gives an SDK call: `start-query dynamodb:UpdateItem to processing`. */
export interface NamedCall {
  readonly name: string
  /** True for a conditional write, which a concurrent write can make fail. */
  readonly isConditional: boolean
}

/** Names a call by its function, its action, and its subject if one function makes the call for several. */
export function nameCall(functionName: string, service: ObservedService, call: PassingCall): NamedCall {
  const [action, ...about] = nameAction(service, call)
  const isConditional = service === 'dynamodb' && /"ConditionExpression"/.test(call.body.toString())
  const name = [nameOperation(functionName), `${service}:${action}`, ...about].filter((word) => word !== '').join(' ')
  return { name, isConditional }
}

function nameAction(service: ObservedService, call: PassingCall): string[] {
  if (service === 'dynamodb') return nameDynamoCall(call)
  return service === 's3' ? nameS3Call(call) : [nameOther(call)]
}

/** Converts a function's name to its operation: `StartQuery` to `start-query`. */
export function nameOperation(functionName: string): string {
  return functionName.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase()
}

const operationOf = ({ headers }: PassingCall) => String(headers['x-amz-target'] ?? '').replace(/^.*\./, '')

const nameOther = (call: PassingCall) =>
  operationOf(call) || (new URLSearchParams(call.body.toString()).get('Action') ?? '')

const key = v.record(v.string(), v.object({ S: v.optional(v.string()) }))

const dynamoSchema = v.object({
  IndexName: v.optional(v.string()),
  RequestItems: v.optional(v.record(v.string(), v.object({ Keys: v.array(key) })), {}),
  Item: v.optional(v.record(v.string(), v.unknown())),
  Key: v.optional(v.record(v.string(), v.unknown())),
  UpdateExpression: v.optional(v.string()),
  ExpressionAttributeValues: v.optional(v.record(v.string(), v.unknown()), {}),
})

function nameDynamoCall(call: PassingCall): string[] {
  const read = v.parse(dynamoSchema, JSON.parse(call.body.toString()))
  return [operationOf(call), ...aboutOf(read)]
}

function aboutOf(read: v.InferOutput<typeof dynamoSchema>): string[] {
  if (read.IndexName !== undefined) return [read.IndexName]
  if (read.UpdateExpression !== undefined) {
    const to = v.safeParse(v.object({ S: v.string() }), read.ExpressionAttributeValues[':status'])
    if (to.success) return [`to ${to.output.S}`]
    const [, attribute = ''] = /(?:SET|REMOVE) #?(\w+)/.exec(read.UpdateExpression) ?? []
    return [kindOf(read.Key) === 'usage' ? `usage ${attribute}` : attribute]
  }
  const one = read.Item ?? read.Key
  const items = one === undefined ? Object.values(read.RequestItems).flatMap(({ Keys }) => Keys) : [one]
  return [[...new Set(items.map(kindOf))].sort().join('+')]
}

function kindOf(item: unknown): string {
  const named = v.safeParse(v.object({ item: v.object({ S: v.string() }) }), item)
  return named.success ? (named.output.item.S.split('#')[0] ?? '') : 'fee schedule'
}

const objectOperations: Readonly<Record<string, string>> = { PUT: 'PutObject', GET: 'GetObject', HEAD: 'HeadObject' }

function nameS3Call({ method, target }: PassingCall): string[] {
  if (target.searchParams.has('list-type')) return ['ListObjectsV2']
  if (target.searchParams.has('delete')) return ['DeleteObjects']
  return [objectOperations[method] ?? method, kindOfObject(target.pathname)]
}

function kindOfObject(path: string): string {
  if (path.includes('/file-lists/')) return 'file-list'
  return path.endsWith('manifest.csv') ? 'manifest' : 'shard'
}
