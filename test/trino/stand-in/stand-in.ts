import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { type AwsServer, callGlue, installMoto, openS3, startAws } from './aws-server.ts'
import { startTrino } from './trino-nodes.ts'
import { synthesiseWarehouse, type WarehouseTemplate } from './warehouse-template.ts'

/**
 * A stand-in for Athena: a Trino of two nodes over a Glue and an S3, which have the buckets, tables and views of the
 * warehouse's template.
 */
export interface StandIn extends AsyncDisposable, Pick<AwsServer, 'requestLog'> {
  /** Address of Trino's coordinator. */
  readonly url: string
  /** Address of S3 and Glue. */
  readonly awsUrl: string
  /** Location of the tables, `s3://bucket/`. */
  readonly location: string
  /** Place of searches' lists of files, `s3://bucket/prefix/`. */
  readonly fileLists: string
  /** Temporary folder for files of the caller. */
  readonly folder: string
}

/** Bucket of the files that queries write. */
export const resultsBucket = 'results'

/**
 * Starts the servers, with Trino from `TRINO_HOME` (test/trino/install.sh) and the Java of `JAVA_HOME`, and creates the
 * tables and views. They have no rows yet.
 *
 * @throws Error if the machine lacks Trino, Java or Python
 */
export async function startStandIn(): Promise<StandIn> {
  const { TRINO_HOME: home, JAVA_HOME: java } = process.env
  if (!home || !java)
    throw new TypeError(
      'NOT run: TRINO_HOME (the output of test/trino/install.sh <folder>) and JAVA_HOME (24 or later) must be set',
    )
  const python = await installMoto().catch((cause: unknown) => {
    throw new Error('NOT run: moto, which stands in for Glue and S3, could not be installed', { cause })
  })
  const running = new AsyncDisposableStack()
  try {
    const folder = await mkdtemp(join(tmpdir(), 'trino-'))
    running.defer(() => rm(folder, { recursive: true, force: true }))
    // A run that a signal ends disposes of nothing.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    const aws = running.use(await startAws(python, folder))
    const template = synthesiseWarehouse()
    await createTables(aws.url, template)
    const trino = running.use(await startTrino({ home, java: join(java, 'bin', 'java'), awsUrl: aws.url, folder }))
    return {
      url: trino.url,
      awsUrl: aws.url,
      requestLog: aws.requestLog,
      location: template.location,
      fileLists: template.fileLists,
      folder,
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    }
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

/** Creates what the template has, with its own properties, as CloudFormation would. */
async function createTables(awsUrl: string, template: WarehouseTemplate): Promise<void> {
  const client = openS3(awsUrl)
  try {
    for (const Bucket of [...template.buckets, resultsBucket]) await client.send(new CreateBucketCommand({ Bucket }))
  } finally {
    client.destroy()
  }
  for (const input of template.databases) await callGlue(awsUrl, 'CreateDatabase', input)
  for (const input of template.tables) await callGlue(awsUrl, 'CreateTable', input)
}
