import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { FileLists } from '../../core/search/ports.ts'
import { fileListKey, writeFileList } from '../../schema/columns/search-tables.ts'
import { noFileLists } from '../../schema/environment.ts'
import { longRequests } from '../request-limits.ts'

/** Stores lists of files in S3. @param location the place of all lists, `s3://bucket/prefix/` */
export function createS3FileLists(location: string, client = new S3Client(longRequests)): FileLists {
  const { host: Bucket, pathname } = new URL(location)
  return {
    write: async ({ table, searchId, addresses }) => {
      const Key = pathname.slice(1) + fileListKey(table, searchId)
      await client.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.from(writeFileList(addresses)) }))
    },
  }
}

/** Opens the lists of a stage. @returns undefined if its searches write none */
export const openS3FileLists = (location: string): FileLists | undefined =>
  location === noFileLists ? undefined : createS3FileLists(location)
