import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { listPages } from '../../../adapters/s3/s3-prefix.ts'
import { mapAtOnce } from '../../../core/work-at-once.ts'

/** Objects that are downloaded at the same time. */
const downloadsAtOnce = 8

/**
 * Downloads the objects below a location into a folder, each to the path that it has below the location.
 *
 * @param location `s3://bucket/` or `s3://bucket/prefix/`
 * @returns the paths of the files in the order of their keys
 */
export async function downloadObjects(client: S3Client, location: string, folder: string): Promise<readonly string[]> {
  const [, bucket, prefix] = /^s3:\/\/([^/]+)\/(.*)$/.exec(location) ?? []
  if (bucket === undefined || prefix === undefined) throw new TypeError(`not a location in S3: ${location}`)
  const keys: string[] = []
  for await (const page of listPages(client, bucket, prefix)) keys.push(...page.flatMap(({ Key }) => Key ?? []))
  return mapAtOnce(keys, downloadsAtOnce, async (key) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    if (Body === undefined) throw new Error(`s3://${bucket}/${key} has no body`)
    const path = join(folder, key.slice(prefix.length))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, await Body.transformToByteArray())
    return path
  })
}
