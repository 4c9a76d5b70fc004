import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AwsRefusal, chooseRefusal } from '../aws-refusal.ts'
import { closeToBrowsers, listen, type RunningServer } from '../http-server.ts'
import { parseTarget } from '../request-target.ts'
import type { CredentialBook } from '../signing/credentials.ts'
import { verifySignature } from '../signing/signature-v4.ts'
import { sendRefusal } from './answer.ts'
import { splitPath } from './call.ts'
import { allowOrigin, answerPreflight, type CorsRules } from './cors.ts'
import type { Listers } from './listers.ts'
import { type ObjectStore, openObjectStore } from './object-store.ts'
import { findOperation, type S3Operations } from './operations.ts'
import { type ShownFolder, showFolder } from './shown-folder.ts'

export interface S3Options {
  /** The folder of buckets and objects; created if missing. */
  readonly folder: string
  readonly credentials: CredentialBook
  /** The default, 0, picks a free port. */
  readonly port?: number
  readonly now: () => Date
  /** The web pages that may read each bucket. @default - none */
  readonly corsRules?: CorsRules
  /** The roles that may list objects, and where. @default - none: only the local user may */
  readonly listers?: Listers
  /** Operations on objects that the service itself does not use. @default - none */
  readonly furtherOperations?: S3Operations
  /** A folder that can be read as one more bucket. @default - none */
  readonly shownFolder?: ShownFolder
}

export interface RunningS3 extends RunningServer {
  /** Creates a bucket; a no-op if it exists. Other processes create theirs with CreateBucket. */
  createBucket(bucket: string): void
}

/** Starts a local S3: path-style addressing, Signature V4 only, no versions. */
export async function startS3({
  folder,
  credentials,
  port,
  now,
  corsRules = new Map(),
  listers = new Map(),
  furtherOperations = new Map(),
  shownFolder,
}: S3Options): Promise<RunningS3> {
  const ownStore = openObjectStore(folder)
  const store = shownFolder ? showFolder(ownStore, shownFolder) : ownStore
  const listener = closeToBrowsers((request, response) => {
    const requestId = randomUUID()
    response.setHeader('x-amz-request-id', requestId)
    answer(request, response, { store, credentials, corsRules, listers, furtherOperations, now: now() }).catch(
      (error: unknown) => refuse(request, response, error, requestId),
    )
  }, isPresignedGet)
  const server = await listen(listener, port)
  return { ...server, createBucket: store.createBucket }
}

/**
 * True for a pre-signed GET and the browser's question before it: web pages may fetch the URLs in `download_urls`. The
 * signature is verified as usual, and the rules of the bucket decide if the page can read the answer.
 */
function isPresignedGet({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'OPTIONS') && /[?&]X-Amz-Signature=/.test(url)
}

interface Service {
  readonly store: ObjectStore
  readonly credentials: CredentialBook
  readonly corsRules: CorsRules
  readonly listers: Listers
  readonly furtherOperations: S3Operations
  readonly now: Date
}

async function answer(request: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  const { store, credentials, corsRules, listers, furtherOperations, now } = service
  const { method = '', url = '' } = request
  const target = parseTarget(url)
  const { bucket, key } = splitPath(target.path)
  const rules = corsRules.get(bucket) ?? []
  if (method === 'OPTIONS') return answerPreflight(request, response, rules)
  allowOrigin(request, response, rules)
  const signature = await verifySignature(request, target, { credentials, service: 's3', now })
  if (bucket === '') throw new AwsRefusal(501, 'NotImplemented', 'Operations on all buckets are not implemented.')
  const operation = findOperation(method, key, target.query, furtherOperations)
  const header = (name: string) => request.headersDistinct[name]?.join(', ')
  await operation({ request, response, store, signature, listers, now, bucket, key, query: target.query, header })
}

const internalError = new AwsRefusal(500, 'InternalError', 'We encountered an internal error. Please try again.')

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, requestId: string): void {
  const refusal = chooseRefusal(request, response, error, internalError)
  if (refusal) sendRefusal(response, refusal, { resource: request.url?.split('?')[0] ?? '/', requestId })
}
