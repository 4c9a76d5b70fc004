import { join } from 'node:path'
import { runOnTrino } from './run-on-trino.ts'
import { openS3 } from './stand-in/aws-server.ts'
import { downloadObjects } from './stand-in/download-objects.ts'
import { resultsBucket, type StandIn } from './stand-in/stand-in.ts'

/**
 * Writes the rows of a SELECT to S3 with `CREATE TABLE … AS`: Trino has no UNLOAD, and Athena's is said to use the same
 * writer.
 *
 * @param table new name, which is also the folder of its files
 * @param partition column whose values become folders, and which is not in the files
 * @returns paths of copies of the files
 */
export async function writeResultFiles(
  { url, awsUrl, folder }: Pick<StandIn, 'url' | 'awsUrl' | 'folder'>,
  table: string,
  select: string,
  partition?: string,
): Promise<readonly string[]> {
  const location = `s3://${resultsBucket}/${table}/`
  const partitions = partition === undefined ? '' : `, partitioned_by = ARRAY['${partition}']`
  const properties = `format = 'PARQUET', external_location = '${location}'${partitions}`
  await runOnTrino(url, `CREATE TABLE ${table} WITH (${properties}) AS ${select}`)
  const client = openS3(awsUrl)
  try {
    return await downloadObjects(client, location, join(folder, 'results', table))
  } finally {
    client.destroy()
  }
}
