import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { GetObjectCommandInput, S3ClientConfig } from '@aws-sdk/client-s3'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { type S3Options, startS3 } from '../../local/s3/server.ts'
import type { AccessKey, CredentialBook } from '../../local/signing/credentials.ts'
import { openCredentialBook } from '../../local/signing/credentials.ts'
import { openMultipartOperations } from './s3/multipart/multipart-operations.ts'

export const bucket = 'rates-test'

/** A local S3 with one bucket in a temporary folder, and a clock that only moves when a test sets it. */
export interface LocalS3 {
  readonly folder: string
  readonly url: string
  readonly credentials: CredentialBook
  readonly client: S3Client
  /** The settings of the client. */
  readonly settings: S3ClientConfig
  readonly clock: { now: Date }
  clientFor(key: AccessKey & { readonly sessionToken?: string }, config?: S3ClientConfig): S3Client
  put(key: string, body: string): Promise<void>
  close(): Promise<void>
}

/** Starts on a new folder, or restarts on the folder and port of `previous` so that its URLs stay valid. */
export async function openLocalS3(
  previous?: LocalS3,
  rules: Pick<S3Options, 'corsRules' | 'listers'> = {},
): Promise<LocalS3> {
  const folder = previous?.folder ?? mkdtempSync(join(tmpdir(), 'local-s3-'))
  const credentials = openCredentialBook(folder)
  const clock = previous?.clock ?? { now: new Date(Math.floor(Date.now() / 1000) * 1000) }
  const port = previous === undefined ? 0 : Number(new URL(previous.url).port)
  const options = { folder: join(folder, 's3'), credentials, port, ...rules, now: () => clock.now }
  const server = await startS3({ ...options, furtherOperations: openMultipartOperations(options.folder) })
  const clientFor: LocalS3['clientFor'] = (key, config) => new S3Client({ ...settings, credentials: key, ...config })
  const settings = { endpoint: server.url, region: 'us-east-1', credentials: credentials.localUser, maxAttempts: 1 }
  const client = clientFor(credentials.localUser)
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    folder,
    url: server.url,
    credentials,
    client,
    settings,
    clock,
    clientFor,
    async put(key, body) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }))
    },
    close: () => server.close(),
  }
}

/** Stops a local S3 and deletes its folder. */
export async function discardLocalS3(s3: LocalS3): Promise<void> {
  await s3.close()
  rmSync(s3.folder, { recursive: true })
}

/** Pre-signs a GET for ten minutes, at the clock's time. */
export function presignGet(
  s3: LocalS3,
  input: Omit<GetObjectCommandInput, 'Bucket'>,
  client: S3Client = s3.client,
): Promise<string> {
  const command = new GetObjectCommand({ Bucket: bucket, ...input })
  return getSignedUrl(client, command, { expiresIn: 600, signingDate: s3.clock.now })
}

export interface RawAnswer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

/**
 * Sends a complete request, even if the response arrives earlier. The path is sent verbatim: `fetch` would resolve `..`
 * and encode unusual characters.
 */
export function sendRaw(
  url: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, path, method, headers: { 'content-length': Buffer.byteLength(body), ...headers } },
      (response) => {
        Promise.all([text(response), sent]).then(
          ([answer]) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer }),
          reject,
        )
      },
    )
    const sent = once(outgoing, 'finish')
    sent.catch(reject)
    outgoing.end(body)
  })
}
