import { join } from 'node:path'
import { localWarehouseBucket } from '../../schema/columns/providers-table.ts'
import { startOnKeptPort } from '../data-folder/kept-port.ts'
import type { LocalEndpoint } from '../endpoint.ts'
import { type CorsRule, readCorsRules } from './cors.ts'
import { readListers } from './listers.ts'
import { startS3 } from './server.ts'

/**
 * S3, on the port of the last start, so that URLs handed out then still work. Until the stack is there, no web page may
 * read objects, and only the local user may list them. The folder of the warehouse is one more bucket.
 *
 * @param buckets created in addition to those of the stack
 */
export const s3Endpoint = (buckets: readonly string[]): LocalEndpoint => ({
  start: async ({ dataFolder, warehouseFolder, credentials, now, observe }) => {
    const folder = join(dataFolder, 's3')
    const shownFolder = { bucket: localWarehouseBucket, folder: warehouseFolder }
    const corsRules = new Map<string, readonly CorsRule[]>()
    const listers = new Map<string, ReadonlySet<string>>()
    const server = await startOnKeptPort(join(dataFolder, 's3.port'), (port) =>
      startS3({ folder, credentials, now, port, corsRules, listers, shownFolder }),
    )
    return {
      environment: { AWS_ENDPOINT_URL_S3: await observe('s3', server.url) },
      begin: async ({ template }) => {
        const stackBuckets = template.ofType('AWS::S3::Bucket').map(({ id }) => template.text({ Ref: id }))
        for (const bucket of [...stackBuckets, ...buckets]) server.createBucket(bucket)
        for (const [bucket, rules] of readCorsRules(template)) corsRules.set(bucket, rules)
        for (const [role, listableBuckets] of readListers(template)) listers.set(role, listableBuckets)
      },
      close: server.close,
    }
  },
})
