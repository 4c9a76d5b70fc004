import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDynamo } from '../../adapters/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamo-jobs.ts'
import { requestKeyItem } from '../../adapters/job-items.ts'
import { startLocalService } from '../../bin/local-service.ts'
import { seedOnce, tableName } from '../../bin/seed.ts'
import { createSearchClient } from '../../client/search-client.ts'
import type { QueuedJob } from '../../core/job.ts'
import { hashRequest, parseSearchRequest } from '../../core/search-request.ts'
import { addSeconds } from '../../core/timestamp.ts'
import { openCredentialBook } from '../../local/credentials.ts'
import { largeSearch } from '../../local/sample-data.ts'
import type { LocalService } from '../../local/service.ts'
import { startService } from '../../local/service.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import type { RecordedCall } from './call-recorder.ts'
import { recordCalls } from './call-recorder.ts'
import type { Right } from './policies.ts'
import { covers, readRights } from './policies.ts'

/** Rights that no call on this machine shows, each with the reason. */
const unseen: readonly (readonly [action: RegExp, reason: string])[] = [
  [/^glue:/, 'Athena reads the catalogue with the rights of whoever starts a query.'],
  [
    /^s3:(ListBucket|GetBucketLocation|ListBucketMultipartUploads|ListMultipartUploadParts|AbortMultipartUpload)$/,
    'Athena looks and uploads so, with the rights of whoever starts a query.',
  ],
  [
    /^athena:StopQueryExecution$/,
    'Only a job that ended meanwhile is stopped: seen by the tests of core/ and of the sweeper.',
  ],
  [/^states:DescribeExecution$/, 'Only asked where a name is taken: seen by the tests of the sweeper.'],
  [/^(lambda:InvokeFunction|sqs:SendMessage)$/, 'Step Functions and Lambda make these calls themselves.'],
]

/** The role of a command of the operator, which no function has. */
const isOperators = ({ role }: Right) => role.startsWith('WarehouseReader')

/** Rights that Athena uses in the name of the function that starts a query. */
const usedByAthena = (right: Right) => right.role.startsWith('StartQuery') && right.action.startsWith('s3:')

const folder = mkdtempSync(join(tmpdir(), 'least-privilege-'))
const unknown = { payer: 'Nobody we know', plan: 'Nothing' }
const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
const calls: RecordedCall[] = []
let apiKeys: readonly string[]
let rights: readonly Right[]
let service: LocalService | undefined

/** A job that was accepted `minutes` ago and that nobody has looked after since. */
async function leaveBehind(orgId: string, minutes: number, what: 'sound' | 'without its request'): Promise<string> {
  const client = connectDynamo()
  const table = tableName(await current(), 'Jobs')
  const request = parseSearchRequest({ ...largeSearch, npis: [Math.round(1e9 + minutes)] })
  const createdAt = addSeconds(new Date(), -60 * minutes)
  const hash = hashRequest(request)
  const job: QueuedJob = { orgId, jobId: randomUUID(), run: 'run', status: 'queued', createdAt, requestHash: hash }
  await createDynamoJobs(client, table).create(job, request, addSeconds(new Date(), 3600))
  if (what === 'without its request')
    await client.send(new DeleteCommand({ TableName: table, Key: requestKeyItem(orgId, hash) }))
  return job.jobId
}

async function current(): Promise<LocalService> {
  if (service === undefined) throw new TypeError(`${startService.name} comes first`)
  return service
}

beforeAll(async () => {
  // A first life leaves jobs behind; the second one's sweeper finds them.
  service = await startLocalService(folder, 0)
  const organizations = await seedOnce(service, folder)
  apiKeys = organizations.map(({ api_key }) => api_key)
  const [organization] = organizations
  if (organization === undefined) throw new TypeError('there is no demo organization')
  await leaveBehind(organization.id, 180, 'sound')
  // Past the deadline of any stage: the sweeper ends it, and looks for its query.
  await leaveBehind(organization.id, 4 * 24 * 60, 'sound')
  await leaveBehind(organization.id, 5, 'sound')
  await leaveBehind(organization.id, 6, 'without its request')
  await service.close()

  const { find } = openCredentialBook(folder)
  service = await startLocalService(folder, 0, {
    observe: (name, url) => recordCalls(name, url, find, (call) => calls.push(call)),
  })
  rights = readRights(readStackTemplate(join(folder, 'cdk.out'), 'SearchService'))
  const client = createSearchClient({ baseUrl: service.baseUrl, apiKey: organization.api_key, sleep, pollSeconds: 0.1 })
  for (const request of [
    largeSearch,
    { ...largeSearch, npis: [1_999_999_999] },
    { ...largeSearch, fee_schedules: [unknown] },
  ]) {
    const { job_id } = await client.createSearch(request)
    for await (const search of client.followSearch(job_id))
      if (search.status === 'completed') await client.downloadShards(search, join(folder, 'results'))
    await client.deleteSearch(job_id)
  }
  // Nobody has started it, and the sweeper leaves it alone for a minute.
  await client.cancelSearch(await leaveBehind(organization.id, 0, 'sound'))
  for (const _ of ['first', 'again']) await client.createSearch(largeSearch, 'order-42')
  const headers = { Authorization: `Bearer ${organization.api_key}` }
  for (const query of ['', '?payer=Blue%20Harbor%20Health'])
    await fetch(`${service.baseUrl}/v1/fee-schedules${query}`, { headers })
  // The job is failed first, and then looked at for a query to stop.
  const hasLooked = ({ role, action }: RecordedCall) =>
    role.startsWith('RecordFailure') && action === 'dynamodb:BatchGetItem'
  for (let waited = 0; waited < 60 && !calls.some(hasLooked); waited++) await sleep(1000)
}, 120_000)

afterAll(async () => {
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('every call that a function made is one that its role allows', () => {
  const refused = calls.filter((call) => !rights.some((right) => right.role === call.role && covers(right, call)))
  expect(calls.length).toBeGreaterThan(0)
  expect(refused).toEqual([])
})

test('no role has a right that its function did not use', () => {
  const idle = rights
    .filter((right) => !calls.some((call) => call.role === right.role && call.action === right.action))
    .filter(
      (right) => !isOperators(right) && !usedByAthena(right) && !unseen.some(([actions]) => actions.test(right.action)),
    )
    .map(({ role, action }) => `${role} ${action}`)
  expect(idle).toEqual([])
})

test('no line of a log has a key, a signed URL or what a body said', () => {
  const lines = readdirSync(join(folder, 'logs')).flatMap((file) =>
    readFileSync(join(folder, 'logs', file), 'utf8').split('\n'),
  )
  const secrets = [...apiKeys, 'X-Amz-Signature', 'X-Amz-Security-Token', unknown.payer, gold.plan]
  expect(lines.filter((line) => line.includes('"operation"')).length).toBeGreaterThan(10)
  expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
})
