import type { _Object, ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3'
import { DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'

/** What the files below a prefix are, page by page, and how they are removed. */

/** How many objects one request deletes at most. Source: Amazon S3 API Reference, DeleteObjects. */
const mostDeleted = 1000

/** Lists the objects whose keys begin with a prefix, a page at a time, in the order of their keys. */
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
 * Removes objects by their keys; one that is not there is as good as removed.
 *
 * @throws NotDeleted
 */
export async function removeObjects(client: S3Client, Bucket: string, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += mostDeleted) {
    const Objects = keys.slice(from, from + mostDeleted).map((Key) => ({ Key }))
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
    // The call succeeds although objects stay.
    if (Errors[0] !== undefined) throw new NotDeleted(Errors[0].Key ?? '', Errors[0].Message ?? '')
  }
}

/** S3 kept an object that was to be deleted. */
export class NotDeleted extends Error {
  override readonly name = 'NotDeleted'
  constructor(key: string, reason: string) {
    super(`S3 did not delete ${key}: ${reason}`)
  }
}
