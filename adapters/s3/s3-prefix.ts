import type { _Object, ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3'
import { DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { PrintableError } from '../../schema/printable-error.ts'

/** Lists and deletes objects by prefix. */

/** Maximum number of objects in one delete request. Source: Amazon S3 API Reference, DeleteObjects. */
const maxDeleted = 1000

/** Lists the objects with a prefix in key order, page by page. */
export async function* listPages(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<readonly _Object[]> {
  let ContinuationToken: string | undefined
  do {
    const page: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }),
    )
    yield page.Contents ?? []
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
}

/**
 * Deletes objects by key. Missing objects are ignored.
 *
 * @throws NotDeleted if S3 kept an object
 */
export async function removeObjects(client: S3Client, Bucket: string, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += maxDeleted) {
    const Objects = keys.slice(from, from + maxDeleted).map((Key) => ({ Key }))
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
    // The call succeeds even if some objects could not be deleted.
    if (Errors[0] !== undefined) throw new NotDeleted(Errors[0].Key ?? '', Errors[0].Message ?? '')
  }
}

/** S3 could not delete an object. */
export class NotDeleted extends PrintableError {
  override readonly name = 'NotDeleted'
  constructor(key: string, reason: string) {
    super(`S3 did not delete ${key}: ${reason}`)
  }
}
