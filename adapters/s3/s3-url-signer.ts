import { S3Client } from '@aws-sdk/client-s3'
import { STSClient } from '@aws-sdk/client-sts'
import { formatUrl } from '@aws-sdk/core/util'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import type { UrlSigner } from '../../core/calls/ports.ts'
import { addSeconds, type Clock } from '../../core/time.ts'
import { assumeRole } from '../assume-role.ts'
import { shortRequests } from '../request-limits.ts'
import { findBucketUrl } from './storage-origin.ts'

export interface SigningSettings {
  readonly bucket: string
  /** A dedicated role that can only read results. */
  readonly roleArn: string
  readonly now: Clock
}

/**
 * Lifetime of URLs and of the credentials that sign them: role chaining limits a session to one hour, and a URL expires
 * no later than the credentials that signed it. Source: STS API, AssumeRole, "role chaining"; S3 user guide, "Who can
 * create a presigned URL".
 */
const urlSeconds = 3600

/** Time for which credentials are reused, in seconds. New URLs are therefore valid for 55 to 60 minutes. */
const reuseSeconds = 300

/** Signs downloads with an assumed role, because a Lambda function cannot read when its own credentials expire. */
export function createS3UrlSigner(
  { bucket, roleArn, now }: SigningSettings,
  sts = new STSClient(shortRequests),
): UrlSigner {
  let current: Promise<Signer> | undefined
  let assumedAt = new Date(0)

  const currentSigner = (time: Date): Promise<Signer> => {
    // If the clock was set back, the remaining lifetime of the credentials is unknown, so renew them.
    if (current === undefined || time < assumedAt || time >= addSeconds(assumedAt, reuseSeconds)) {
      assumedAt = time
      current = assumeSigner(sts, roleArn, bucket).catch((error: unknown) => {
        current = undefined
        throw error
      })
    }
    return current
  }

  /** @throws CredentialsEnded if new credentials have already expired by the local clock */
  const usableSigner = async (time: Date): Promise<Signer> => {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const signer = await currentSigner(time)
      if (isUsable(signer, time)) return signer
      current = undefined
    }
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

/** The local clock is at least an hour ahead of STS, so every URL would be expired. */
export class CredentialsEnded extends Error {
  override readonly name = 'CredentialsEnded'
}

/** A URL signed now must be valid for at least one second. */
const isUsable = ({ credentialsEnd }: Signer, time: Date) => credentialsEnd > addSeconds(wholeSecond(time), 1)

type Download = Parameters<UrlSigner['sign']>[0][number]
type PresignedRequest = Parameters<S3RequestPresigner['presign']>[0]

interface Signer {
  readonly presigner: S3RequestPresigner
  /** The bucket's URL, ending in `/`. */
  readonly bucketUrl: URL
  readonly credentialsEnd: Date
}

async function assumeSigner(sts: STSClient, RoleArn: string, Bucket: string): Promise<Signer> {
  const role = { RoleArn, RoleSessionName: 'sign-downloads', DurationSeconds: urlSeconds }
  const { credentials, expiration } = await assumeRole(sts, role)
  const client = new S3Client({ ...shortRequests, credentials })
  const { region, sha256 } = client.config
  const bucketUrl = await findBucketUrl(Bucket, client)
  return { presigner: new S3RequestPresigner({ credentials, region, sha256 }), bucketUrl, credentialsEnd: expiration }
}

/**
 * Builds the request that `getSignedUrl` would sign. `getSignedUrl` takes four times as long, because it runs the
 * client's whole middleware stack for every shard.
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

/** Signatures have a resolution of one second. */
function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000)
}
