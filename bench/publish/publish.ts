import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createS3ResultFiles } from '../../adapters/s3/s3-result-files.ts'
import { tableName } from '../../bin/command/local-access.ts'
import { startLocalService } from '../../bin/command/local-service.ts'
import { newOpaqueId } from '../../bin/command/opaque-id.ts'
import { formatTable } from '../../bin/command/table.ts'
import { issueOrganizationId } from '../../core/access/api-key.ts'
import { attemptPrefix } from '../../core/job/attempt.ts'
import type { JobRun } from '../../core/job/job.ts'
import { addSeconds } from '../../core/job/timestamp.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'

const counts = [1, 100, 1000]

/** Eight row groups, as many as Athena puts into a shard of 1 GB; only a shard's footer is read. */
const shardRows = 8 * 2048

/** Prints the time and memory that `publish-results` needs for 1, 100 and 1,000 shards in the local S3. */
export async function benchPublish(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-publish-'))
  try {
    const service = await startLocalService(folder, 0)
    try {
      const shard = await makeShard(join(folder, 'shard.parquet'))
      const environment = {
        ...service.environment,
        JOBS_TABLE: tableName(service, 'Jobs'),
        RESULTS_BUCKET: findResultsBucket(folder),
        RETENTION_DAYS: '7',
      }
      const rows = []
      for (const count of counts) rows.push({ shards: count, ...(await measure(environment, shard, count)) })
      const footer = shard.readUInt32LE(shard.byteLength - 8)
      process.stdout.write(`footers of ${footer} bytes, ${process.version}\n\n`)
      process.stdout.write(`${formatTable(['shards', 'first ms', 'again ms', 'peak MB', 'grown MB'], rows)}\n`)
    } finally {
      await service.close()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function measure(environment: Readonly<Record<string, string>>, shard: Buffer, count: number) {
  const inputs = [await storeResult(environment, shard, count), await storeResult(environment, shard, count)]
  const script = join(import.meta.dirname, 'publish-run.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(inputs)], {
    env: { ...process.env, ...environment },
  })
  const measured: Readonly<Record<string, number>> = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  return measured
}

/** Stores a job whose query has written this many files, and returns the input of `publish-results`. */
async function storeResult(
  { JOBS_TABLE = '', RESULTS_BUCKET = '' }: Readonly<Record<string, string>>,
  shard: Buffer,
  count: number,
) {
  const jobs = createDynamoJobs(connectDynamo(), JOBS_TABLE)
  const files = createS3ResultFiles(RESULTS_BUCKET)
  const job: JobRun = { orgId: issueOrganizationId(), jobId: crypto.randomUUID(), run: newOpaqueId() }
  const request = { npis: [1_000_000_000], feeSchedules: [{ payer: 'payer', plan: 'plan' }] }
  const now = new Date()
  await jobs.create(
    { ...job, status: 'queued', createdAt: now, requestHash: newOpaqueId() },
    request,
    addSeconds(now, 3600),
  )
  await jobs.begin(job, ['source'], now)
  const prefix = attemptPrefix(job, 1)
  const keys = Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  for (const key of keys) await files.write(key, shard)
  await files.write(`manifests/${job.jobId}`, Buffer.from(keys.map((key) => `${files.addressOf(key)}\n`).join('')))
  const manifest = files.addressOf(`manifests/${job.jobId}`)
  return { ...job, step: { next: 'publish', queryId: 'query', attempt: 1, manifest } }
}

async function makeShard(file: string): Promise<Buffer> {
  const database = await DuckDBInstance.create(':memory:')
  const connection = await database.connect()
  const columns = ratesColumns.map(({ name, type }) => {
    if (type === 'varchar ARRAY') return `[md5('${name}')] AS ${name}`
    if (type === 'varchar') return `md5('${name}') AS ${name}`
    return type === 'date' ? `DATE '2026-01-01' AS ${name}` : `CAST(7 AS ${type}) AS ${name}`
  })
  const select = `SELECT ${columns.join(', ')} FROM range(${shardRows})`
  await connection.run(`COPY (${select}) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`)
  connection.closeSync()
  database.closeSync()
  return readFile(file)
}

function findResultsBucket(folder: string): string {
  const template = readStackTemplate(join(folder, 'cdk.out'), 'SearchService')
  const [bucket] = template.ofType('AWS::S3::Bucket')
  return template.text({ Ref: bucket?.id })
}
