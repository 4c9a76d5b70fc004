import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
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
      current = assumeSigner(sts, roleArn).catch((error: unknown) => {
        current = undefined
        throw error
      })
    }
    return current
  }

  /** @throws CredentialsEnded where even new credentials have ended by the clock that signs */
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
      const { client, credentialsEnd } = await usableSigner(signingDate)
      const expiresAt = new Date(
        Math.min(addSeconds(wholeSecond(signingDate), urlSeconds).getTime(), credentialsEnd.getTime()),
      )
      const expiresIn = Math.floor((expiresAt.getTime() - wholeSecond(signingDate).getTime()) / 1000)
      const urls = await Promise.all(
        shards.map(({ key, fileName }) => {
          const ResponseContentDisposition = `attachment; filename="${fileName}"`
          const command = new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition })
          return getSignedUrl(client, command, { expiresIn, signingDate })
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

interface Signer {
  readonly client: S3Client
  readonly credentialsEnd: Date
}

async function assumeSigner(sts: STSClient, RoleArn: string): Promise<Signer> {
  const command = new AssumeRoleCommand({ RoleArn, RoleSessionName: 'sign-downloads', DurationSeconds: urlSeconds })
  const { Credentials } = await sts.send(command)
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {}
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new TypeError('STS gave no credentials')
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  // Checksums would be two more signed parameters, one of them of an empty body; downloads need nothing but the host.
  const plain = { responseChecksumValidation: 'WHEN_REQUIRED', requestChecksumCalculation: 'WHEN_REQUIRED' } as const
  const client = new S3Client({ credentials, ...plain })
  return { client, credentialsEnd: Expiration }
}

/** Signatures count in whole seconds. */
function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000)
}
