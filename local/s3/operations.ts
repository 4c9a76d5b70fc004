import { AwsRefusal } from '../aws-refusal.ts'
import { notImplemented, type S3Operation } from './call.ts'
import { createBucket, headBucket } from './requests/buckets.ts'
import { completeMultipartUpload } from './requests/complete-upload.ts'
import { deleteObject, deleteObjects } from './requests/delete-objects.ts'
import { getObject, headObject } from './requests/get-object.ts'
import { listObjects } from './requests/list-objects.ts'
import { putObject } from './requests/put-object.ts'
import { abortMultipartUpload, createMultipartUpload, uploadPart } from './requests/upload-parts.ts'

const bucketOperations = new Map<string, S3Operation>([
  ['PUT', createBucket],
  ['HEAD', headBucket],
  ['GET list-type=2', listObjects],
  ['POST delete', deleteObjects],
])

const objectOperations = new Map<string, S3Operation>([
  ['PUT', putObject],
  ['GET', getObject],
  ['HEAD', headObject],
  ['DELETE', deleteObject],
  ['POST uploads', createMultipartUpload],
  ['PUT partNumber uploadId', uploadPart],
  ['POST uploadId', completeMultipartUpload],
  ['DELETE uploadId', abortMultipartUpload],
])

/** Query parameters that select a different S3 operation. */
const subresources = new Set(
  `abac accelerate acl analytics attributes cors delete encryption intelligent-tiering inventory legal-hold
   lifecycle list-type location logging metadataConfiguration metadataTable metrics notification object-lock
   ownershipControls partNumber policy policyStatus publicAccessBlock renameObject replication requestPayment restore
   retention select session tagging torrent uploadId uploads versionId versioning versions website`.split(/\s+/),
)

/** These identify a part or an upload; their values do not select the operation. */
const handles = new Set(['partNumber', 'uploadId'])

/**
 * Finds the operation that a request asks for.
 *
 * @throws AwsRefusal NotImplemented for S3 operations that this endpoint lacks, MethodNotAllowed for other methods
 */
export function findOperation(method: string, key: string, query: URLSearchParams): S3Operation {
  const operations = key === '' ? bucketOperations : objectOperations
  const subresource = [...query]
    .filter(([name]) => subresources.has(name))
    .map(([name, value]) => (value === '' || handles.has(name) ? name : `${name}=${value}`))
    .sort()
  const operation = operations.get([method, ...subresource].join(' '))
  if (operation !== undefined) return operation
  if (!['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].includes(method))
    throw new AwsRefusal(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.')
  throw notImplemented([method, key === '' ? 'on a bucket' : 'on an object', ...subresource].join(' '))
}
