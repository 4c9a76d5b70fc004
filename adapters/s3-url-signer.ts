import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { formatUrl } from '@aws-sdk/core/util'
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import type { Clock, UrlSigner } from '../core/ports.ts'
import { addSeconds } from '../core/timestamp.ts'

export interface SigningSettings {
  readonly bucket: string
  /** A role of its own that may read results and nothing else. */
  readonly roleArn: string
  readonly now: Clock
}

/**
 * What a URL lives at most, and what the credentials that sign it last: a role assumed by a role gets one hour.
 * Source: STS API, AssumeRole, "role chaining"; S3 user guide, "Who can create a presigned URL" (a URL ends with the
 * credentials that signed it, whatever it says of itself).
 */
const urlSeconds = 3600

/** How long credentials are used for new URLs: a URL is never more than this short of its hour. */
const reuseSeconds = 300

/** Signs downloads as a role whose credentials' end is known, since a Lambda function cannot read its own's. */
export function createS3UrlSigner({ bucket, roleArn, now }: SigningSettings, sts = new STSClient({})): UrlSigner {
  let current: Promise<Signer> | undefined
  let assumedAt = new Date(0)

  const currentSigner = (time: Date): Promise<Signer> => {
    // A clock that was set back is before that time: when the credentials end by it is not known until they are new.
    if (current === undefined || time < assumedAt || time >= addSeconds(assumedAt, reuseSeconds)) {
      assumedAt = time
      current = assumeSigner(sts, roleArn, bucket).catch((error: unknown) => {
        current = undefined
        throw error
      })
    }
    return current
  }

  /** @throws CredentialsEnded if even new credentials have ended by the clock that signs */
  const usableSigner = async (time: Date): Promise<Signer> => {
    const signer = await currentSigner(time)
    if (isUsable(signer, time)) return signer
    current = undefined
    const renewed = await currentSigner(time)
    if (isUsable(renewed, time)) return renewed
    current = undefined
    throw new CredentialsEnded()
  }

  return {
    sign: async (shards) => {
      const signingDate = now()
      const { presigner, bucketUrl, credentialsEnd } = await usableSigner(signingDate)
      const expiresAt = new Date(
        Math.min(addSeconds(wholeSecond(signingDate), urlSeconds).getTime(), credentialsEnd.getTime()),
      )
      const expiresIn = Math.floor((expiresAt.getTime() - wholeSecond(signingDate).getTime()) / 1000)
      const urls = await Promise.all(
        shards.map(async (shard) => {
          const request = describeDownload(bucketUrl, shard)
          return formatUrl(await presigner.presign(request, { expiresIn, signingDate }))
        }),
      )
      return { urls, expiresAt }
    },
  }
}

/** This machine's clock is an hour or more ahead of that of STS: no URL that it signed would be of use. */
export class CredentialsEnded extends Error {
  override readonly name = 'CredentialsEnded'
}

/** A URL signed now has at least a second to live. */
const isUsable = ({ credentialsEnd }: Signer, time: Date) => credentialsEnd > addSeconds(wholeSecond(time), 1)

type Download = Parameters<UrlSigner['sign']>[0][number]
type PresignedRequest = Parameters<S3RequestPresigner['presign']>[0]

interface Signer {
  readonly presigner: S3RequestPresigner
  /** Of the bucket, ending in `/`. */
  readonly bucketUrl: URL
  readonly credentialsEnd: Date
}

async function assumeSigner(sts: STSClient, RoleArn: string, Bucket: string): Promise<Signer> {
  const command = new AssumeRoleCommand({ RoleArn, RoleSessionName: 'sign-downloads', DurationSeconds: urlSeconds })
  const { Credentials } = await sts.send(command)
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {}
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new TypeError('STS gave no credentials')
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  const client = new S3Client({ credentials })
  const { region, sha256 } = client.config
  // The SDK knows how the endpoint addresses buckets (by host or by path), so it makes the address once.
  const bucketUrl = new URL(await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: '-' })))
  bucketUrl.pathname = bucketUrl.pathname.slice(0, -1)
  return { presigner: new S3RequestPresigner({ credentials, region, sha256 }), bucketUrl, credentialsEnd: Expiration }
}

/**
 * The request that `getSignedUrl` would sign. That takes four times as long, because it sends every shard through the
 * client's whole middleware.
 */
function describeDownload({ protocol, hostname, port, pathname }: URL, { key, fileName }: Download): PresignedRequest {
  return {
    method: 'GET',
    protocol,
    hostname,
    ...(port !== '' && { port: Number(port) }),
    path: `${pathname}${key.split('/').map(escapeUri).join('/')}`,
    query: { 'x-id': 'GetObject', 'response-content-disposition': `attachment; filename="${fileName}"` },
    headers: {},
  }
}

/** Source: Amazon S3 API, "Signature Calculations", UriEncode: all but letters, digits, `-`, `.`, `_` and `~`. */
function escapeUri(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Signatures count in whole seconds. */
function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000)
}
