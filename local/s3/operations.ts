import { AwsRefusal } from '../aws-refusal.ts'
import { notImplemented, type S3Operation } from './call.ts'
import { createBucket, headBucket } from './requests/buckets.ts'
import { deleteObjects } from './requests/delete-objects.ts'
import { getObject, headObject } from './requests/get-object.ts'
import { listObjects } from './requests/list-objects.ts'
import { putObject } from './requests/put-object.ts'

const bucketOperations = new Map<string, S3Operation>([
  ['PUT', createBucket],
  ['HEAD', headBucket],
  ['GET list-type=2', listObjects],
  ['POST delete', deleteObjects],
])

/** Operations by method and the query parameters that select them. */
export type S3Operations = ReadonlyMap<string, S3Operation>

const objectOperations: S3Operations = new Map<string, S3Operation>([
  ['PUT', putObject],
  ['GET', getObject],
  ['HEAD', headObject],
])

/** Query parameters that select a different S3 operation. */
const subresources = new Set(
  `abac accelerate acl analytics attributes cors delete encryption intelligent-tiering inventory legal-hold
   lifecycle list-type location logging metadataConfiguration metadataTable metrics notification object-lock
   ownershipControls partNumber policy policyStatus publicAccessBlock renameObject replication requestPayment restore
   retention select session tagging torrent uploadId uploads versionId versioning versions website`.split(/\s+/),
)

/** Parameters that identify a part or an upload. Their values do not select the operation. */
const handles = new Set(['partNumber', 'uploadId'])

/**
 * Finds the operation of a request.
 *
 * @param furtherOperations operations on objects besides those here
 * @throws AwsRefusal NotImplemented for S3 operations that this endpoint lacks, MethodNotAllowed for other methods
 */
export function findOperation(
  method: string,
  key: string,
  query: URLSearchParams,
  furtherOperations?: S3Operations,
): S3Operation {
  const operations = key === '' ? bucketOperations : objectOperations
  const subresource = [...query]
    .filter(([name]) => subresources.has(name))
    .map(([name, value]) => (value === '' || handles.has(name) ? name : `${name}=${value}`))
    .sort()
  const name = [method, ...subresource].join(' ')
  const operation = operations.get(name) ?? furtherOperations?.get(name)
  if (operation !== undefined) return operation
  if (!['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].includes(method))
    throw new AwsRefusal(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.')
  throw notImplemented([method, key === '' ? 'on a bucket' : 'on an object', ...subresource].join(' '))
}
