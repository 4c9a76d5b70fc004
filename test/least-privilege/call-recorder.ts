import type { ObservedService } from '../../local/endpoint.ts'
import type { RunningServer } from '../../local/http-server.ts'
import type { CredentialBook } from '../../local/signing/credentials.ts'
import { standBefore } from '../local/call-proxy.ts'

/** A call that a function made, in the terms of IAM policies. */
export interface RecordedCall {
  /** Logical id of the role whose credentials signed the call. */
  readonly role: string
  /** `dynamodb:GetItem` */
  readonly action: string
  /** ARN of the resource if the request names it, otherwise `*`. */
  readonly resource: string
}

/** Starts a proxy in front of an endpoint that records every call, and forwards it unchanged. */
export function recordCalls(
  service: ObservedService,
  url: string,
  findCredentials: CredentialBook['find'],
  note: (call: RecordedCall) => void,
): Promise<RunningServer> {
  return standBefore(url, ({ method, target, headers, body }, pass) => {
    const role = readRole(headers, target.searchParams, findCredentials)
    if (role !== undefined)
      for (const call of describeCalls(service, { method, target, headers, body: body.toString() }))
        note({ role, ...call })
    return pass()
  })
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Returns the role that signed a header or URL; undefined for processes outside the functions. */
function readRole(headers: Headers, query: URLSearchParams, find: CredentialBook['find']): string | undefined {
  const credential =
    query.get('X-Amz-Credential') ?? /Credential=([^,]+)/.exec(String(headers['authorization']))?.[1] ?? ''
  const token = query.get('X-Amz-Security-Token') ?? headers['x-amz-security-token']
  const identity = find(credential.split('/')[0] ?? '', token === undefined ? undefined : String(token), new Date())
  if (typeof identity === 'string') return undefined
  return /(?:role|assumed-role)\/([^/]+)/.exec(identity.arn)?.[1]
}

type DescribedCall = Omit<RecordedCall, 'role'>

interface ObservedRequest {
  readonly method: string
  readonly target: URL
  readonly headers: Headers
  readonly body: string
}

/** Returns the actions of a request; deleting several objects is one action for each. */
function describeCalls(
  service: ObservedService,
  { method, target, headers, body }: ObservedRequest,
): readonly DescribedCall[] {
  const operation = String(headers['x-amz-target'] ?? '').replace(/^.*\./, '')
  switch (service) {
    case 's3':
      return describeS3Calls(method, target, body)
    case 'sts':
      return [
        {
          action: `sts:${new URLSearchParams(body).get('Action')}`,
          resource: new URLSearchParams(body).get('RoleArn') ?? '*',
        },
      ]
    case 'dynamodb':
      return describeTables(body).map((table) => ({ action: `dynamodb:${operation}`, resource: `table/${table}` }))
    default:
      return [{ action: `${service}:${operation}`, resource: '*' }]
  }
}

function describeS3Calls(method: string, { pathname, searchParams }: URL, body: string): readonly DescribedCall[] {
  const [, bucket = '', ...key] = decodeURIComponent(pathname).split('/')
  const arn = `arn:aws:s3:::${bucket}`
  if (searchParams.has('list-type')) return [{ action: 's3:ListBucket', resource: arn }]
  if (method === 'POST' && searchParams.has('delete')) {
    const keys = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, objectKey]) => objectKey)
    return keys.map((objectKey) => ({ action: 's3:DeleteObject', resource: `${arn}/${objectKey}` }))
  }
  const action = method === 'PUT' ? 's3:PutObject' : 's3:GetObject'
  return [{ action, resource: `${arn}/${key.join('/')}` }]
}

/** Returns the tables in a DynamoDB request; an index comes with its table. */
function describeTables(body: string): readonly string[] {
  const { TableName, IndexName, RequestItems }: { TableName?: string; IndexName?: string; RequestItems?: object } =
    JSON.parse(body)
  if (TableName === undefined) return Object.keys(RequestItems ?? {})
  return [IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`]
}
