import { type _Object, DeleteObjectsCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'
import { PrintableError } from '../../schema/printable-error.ts'

/** Lists and deletes objects by prefix. */

/** Lists the objects with a prefix in key order, page by page. */
export async function* listPages(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<readonly _Object[]> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) yield Contents
}

/**
 * Deletes the objects with a prefix. A page of the list is never larger than one call can delete. Source: Amazon S3 API
 * Reference, DeleteObjects.
 *
 * @throws NotDeleted if S3 kept an object
 */
export async function removeObjects(client: S3Client, Bucket: string, Prefix: string): Promise<void> {
  for await (const page of listPages(client, Bucket, Prefix)) {
    const Objects = page.flatMap(({ Key }) => (Key === undefined ? [] : { Key }))
    if (Objects.length === 0) continue
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
