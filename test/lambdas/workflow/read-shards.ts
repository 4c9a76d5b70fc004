import { parquetReadObjects } from 'hyparquet'
import { createS3UrlSigner } from '../../../adapters/s3/s3-url-signer.ts'
import type { Shard } from '../../../core/job/job.ts'
import { bufferOf } from '../../adapters/s3/trino-files.ts'
import { endpoints } from '../search-api.ts'

type Row = Readonly<Record<string, unknown>>

/** Downloads shards as a client does, and reads their rows. */
export async function readRows(shards: readonly Shard[]): Promise<readonly Row[]> {
  const { resultsBucket: bucket, signingRoleArn: roleArn } = endpoints
  const signer = createS3UrlSigner({ bucket, roleArn, now: () => new Date() })
  const { urls } = await signer.sign(shards.map(({ key }) => ({ key, fileName: 'shard.parquet' })))
  const rows = urls.map(async (url) => {
    const file = bufferOf(new Uint8Array(await (await fetch(url)).arrayBuffer()))
    return parquetReadObjects({ file })
  })
  return (await Promise.all(rows)).flat()
}

/** Returns the sorted texts of the rows of shards, which are equal for equal results. */
export async function listRows(shards: readonly Shard[]): Promise<readonly string[]> {
  return (await readRows(shards)).map(show).sort()
}

const show = (row: Row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
