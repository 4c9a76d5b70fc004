import { S3Client } from '@aws-sdk/client-s3'
import { formatUrl } from '@aws-sdk/core/util'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { addSeconds } from '../../core/time.ts'
import { commandRequests } from '../request-limits.ts'

/**
 * Signs the address of an object with the caller's own credentials, such that the signature is right and expired an
 * hour ago. Nobody can wait for a URL of the service to expire.
 *
 * @param url an address of the object, with or without a signature
 */
export async function signExpiredUrl(url: string, now: Date, client = new S3Client(commandRequests)): Promise<string> {
  const { credentials, region, sha256 } = client.config
  const presigner = new S3RequestPresigner({ credentials, region, sha256 })
  const { protocol, hostname, port, pathname: path } = new URL(url)
  const address = { protocol, hostname, ...(port !== '' && { port: Number(port) }), path }
  const request = { method: 'GET', ...address, query: { 'x-id': 'GetObject' }, headers: {} }
  return formatUrl(await presigner.presign(request, { expiresIn: 60, signingDate: addSeconds(now, -3660) }))
}
