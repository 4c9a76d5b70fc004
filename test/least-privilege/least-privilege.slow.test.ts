import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoWebhooks } from '../../adapters/dynamodb/dynamo-webhooks.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { requestKeyItem } from '../../adapters/dynamodb/jobs/request-items.ts'
import { startLocalService } from '../../bin/command/local-service.ts'
import { seedOnce } from '../../bin/samples/seed.ts'
import { RateSearchClient } from '../../client/rate-search-client.ts'
import { mcpRoute } from '../../contract/mcp.ts'
import { issueApiKey } from '../../core/access/api-key.ts'
import type { QueuedJob } from '../../core/job/job.ts'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import { hashRequest } from '../../core/search/search-request.ts'
import { addSeconds } from '../../core/time.ts'
import type { ObservedService } from '../../local/endpoint.ts'
import { type LocalService, startService } from '../../local/service.ts'
import { openCredentialBook } from '../../local/signing/credentials.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { webhookEvents } from '../../schema/events.ts'
import { largeSearch } from '../conformance/samples.ts'
import { waitForQueries } from '../local/query-wait.ts'
import { type RecordedCall, recordCalls } from './call-recorder.ts'
import { covers, type Right, readRights } from './policies.ts'

/** Rights that no call on this machine exercises, each with the reason. */
const unexercised: readonly (readonly [action: RegExp, reason: string])[] = [
  [/^glue:/, 'Athena reads the catalogue with the rights of the function that starts a query.'],
  [
    /^s3:(ListBucket|GetBucketLocation|ListBucketMultipartUploads|ListMultipartUploadParts|AbortMultipartUpload)$/,
    'Athena lists and uploads files with the rights of the function that starts a query.',
  ],
  [
    /^athena:StopQueryExecution$/,
    'Only the query of a job that ended meanwhile is stopped: the tests of core/ and of the sweeper cover that.',
  ],
  [/^GetManifest\w* dynamodb:Query$/, 'Only called for plans of more than 32 ids: the tests of core/ cover that.'],
  [/^states:DescribeExecution$/, 'Only called if a name is taken: the tests of the sweeper cover that.'],
  [
    /^AwaitQuery\w* (dynamodb:BatchGetItem|events:PutEvents)$/,
    'Only a query that fails ends its job there: the tests of core/ cover that.',
  ],
  [/^(lambda:InvokeFunction|sqs:SendMessage)$/, 'Step Functions and Lambda make these calls themselves.'],
]

/** True for a right of the role that an operator's command assumes; no function has it. */
const isOperatorRight = ({ role }: Right) => role.startsWith('WarehouseReader')

/**
 * True for a right that Athena uses on behalf of the function that starts a query. The function itself only lists
 * files, reads manifests and publishes results.
 */
const isUsedByAthena = ({ role, action, resources }: Right) =>
  role.startsWith('StartQuery') &&
  resources.some((resource) => /query-results\/(file-lists\/)?\*$/.test(resource)) &&
  (action === 's3:PutObject' || action === 's3:GetObject') &&
  !(action === 's3:PutObject' && resources.every((resource) => resource.endsWith('/file-lists/*')))

/** True if a call uses the right: of objects, which are of several places, the one that it names. */
const isUse = (call: RecordedCall, right: Right) =>
  right.action.startsWith('s3:') ? covers(right, call) : call.action === right.action

const folder = mkdtempSync(join(tmpdir(), 'least-privilege-'))
const environmentBefore = { ...process.env }
const unknown = { payer: 'Nobody we know', plan: 'Nothing' }
const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
const withoutRows = { ...largeSearch, npis: [1_999_999_999] }
const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`
const calls: RecordedCall[] = []
let apiKeys: readonly string[]
let rights: readonly Right[]
let service: LocalService | undefined

/** Stores a job that was accepted some minutes ago and not processed since. */
async function leaveBehind(
  orgId: string,
  minutes: number,
  state: 'sound' | 'without its request' | 'ended',
): Promise<string> {
  const client = connectDynamo()
  const table = (await requireService()).tables.Jobs
  const request = parseSearchRequest({ ...largeSearch, npis: [Math.round(1e9 + minutes)] })
  const createdAt = addSeconds(new Date(), -60 * minutes)
  const hash = hashRequest(request)
  const job: QueuedJob = { orgId, jobId: randomUUID(), run: 'run', status: 'queued', createdAt, requestHash: hash }
  const jobs = createDynamoJobs(client, table)
  const expiresAt = addSeconds(new Date(), 3600)
  await jobs.create(job, request, expiresAt)
  if (state === 'ended') await jobs.fail({ ...job, failedAt: new Date(), error: 'internal: It was.' }, expiresAt)
  if (state === 'without its request')
    await client.send(new DeleteCommand({ TableName: table, Key: requestKeyItem(orgId, hash) }))
  return job.jobId
}

async function createKey(orgId: string): Promise<string> {
  const { token, stored } = issueApiKey(orgId)
  const access = createDynamoAccess(connectDynamo(), (await requireService()).tables.Access)
  await access.putKey(stored, 'fresh', new Date())
  return token
}

async function requireService(): Promise<LocalService> {
  if (service === undefined) throw new TypeError(`${startService.name} comes first`)
  return service
}

/** Runs a search until it has completed. */
async function runSearch(apiKey: string, search = largeSearch): Promise<void> {
  const { baseUrl } = await requireService()
  const client = new RateSearchClient({ url: baseUrl, key: apiKey })
  const { job_id } = await client.create(search)
  await client.waitFor(job_id, { pollSeconds: 0.1 })
}

beforeAll(async () => {
  const observe = async (name: ObservedService, url: string) => {
    const { find } = openCredentialBook(folder)
    return recordCalls(name, url, find, (call) => calls.push(call))
  }
  // The first service hands its queries over to await-query and publish-results, and orphans jobs that the second one's
  // sweeper finds. The second service publishes in start-query.
  service = await startLocalService(folder, 0, { observe, adjust: waitForQueries(0) })
  const organizations = await seedOnce(service, folder)
  apiKeys = organizations.map(({ api_key }) => api_key)
  const [organization] = organizations
  if (organization === undefined) throw new TypeError('there is no demo organization')
  const webhooks = createDynamoWebhooks(connectDynamo(), service.tables.Webhooks)
  // Calls of this webhook fail, because nothing listens at its address.
  await webhooks.create({
    orgId: organization.id,
    endpointId: 'one',
    url: 'http://127.0.0.1:9/',
    events: webhookEvents,
    createdAt: new Date(),
    secrets: [{ secret: webhookSecret }],
  })
  // The timer of the second service finds this delivery due.
  const deliveryKey = { orgId: organization.id, endpointId: 'one', eventId: 'of before' }
  const delivery = { ...deliveryKey, type: 'search.ended', body: '{}', createdAt: new Date(), attempts: 1 }
  await webhooks.record(delivery, new Date())
  await runSearch(organization.api_key)
  // Without rows, publish-results writes an empty file.
  await runSearch(organization.api_key, withoutRows)
  await leaveBehind(organization.id, 180, 'sound')
  // This job is past the deadline of any stage, so the sweeper ends it and looks for its query.
  await leaveBehind(organization.id, 4 * 24 * 60, 'sound')
  await leaveBehind(organization.id, 5, 'sound')
  await leaveBehind(organization.id, 6, 'without its request')
  await service.close()

  service = await startLocalService(folder, 0, { observe })
  rights = readRights(readStackTemplate(join(folder, 'cdk.out'), 'SearchService'))
  const client = new RateSearchClient({ url: service.baseUrl, key: organization.api_key })
  // Every call records the first use of a key in a day.
  const fresh = async () => ({
    Authorization: `Bearer ${await createKey(organization.id)}`,
    'Content-Type': 'application/json',
  })
  for (const request of [largeSearch, withoutRows, { ...largeSearch, fee_schedules: [unknown] }]) {
    const { job_id } = await client.create(request)
    for await (const search of client.follow(job_id, { pollSeconds: 0.1 }))
      if (search.status === 'completed') {
        await client.download(job_id, join(folder, 'results'))
        await fetch(`${service.baseUrl}/v1/searches/${job_id}/rows`, { headers: await fresh() })
      }
    await client.delete(job_id)
  }
  // The execution of this job is not started, and the sweeper ignores it for a minute.
  await client.cancel(await leaveBehind(organization.id, 0, 'sound'))
  for (const _ of ['first', 'again']) await client.create(largeSearch, { idempotencyKey: 'order-42' })
  // The end of this job is not announced yet.
  await client.delete(await leaveBehind(organization.id, 0, 'ended'))
  for (const path of [
    '/v1/fee-schedules',
    '/v1/searches',
    '/v1/billing-codes?q=mri',
    '/v1/specialties?q=radiology',
    '/v1/providers?npi=1000100010',
    '/v1/providers?q=jankowski&state=OR',
    `/v1/searches/${randomUUID()}`,
    `/v1/searches/${randomUUID()}/manifest`,
  ])
    await fetch(service.baseUrl + path, { headers: await fresh() })
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  await fetch(service.baseUrl + mcpRoute.path, { method: 'POST', headers: await fresh(), body: ping })
  // Two estimates at once: the second meets the allowance that the first has reduced.
  const estimate = { method: 'POST', headers: await fresh(), body: JSON.stringify(largeSearch) }
  const { baseUrl } = service
  await Promise.all(['one', 'at once'].map(() => fetch(`${baseUrl}/v1/estimates`, estimate)))
  const headers = { Authorization: `Bearer ${organization.api_key}` }
  for (const query of ['', '?payer=Blue%20Harbor%20Health', '?q=harbor'])
    await fetch(`${service.baseUrl}/v1/fee-schedules${query}`, { headers })
  await fetch(`${service.baseUrl}/v1/searches`, { headers })
  // A known payer without the plan makes the estimate read the payer's names; an unknown payer makes it read all names.
  // A search with max_bytes makes the same estimate.
  for (const pair of [gold, { ...gold, plan: 'Gold' }, unknown])
    for (const path of ['estimates', 'searches'])
      await fetch(`${service.baseUrl}/v1/${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...largeSearch, fee_schedules: [pair], max_bytes: 1 }),
      })
  // record-failure fails the job, announces that, and looks for a query to stop.
  const isAnnounced = ({ role, action }: RecordedCall) =>
    role.startsWith('RecordFailure') && action === 'events:PutEvents'
  for (let waited = 0; waited < 60 && !calls.some(isAnnounced); waited++) await sleep(1000)
}, 300_000)

afterAll(async () => {
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
  // The service set the addresses of its endpoints, which would mislead the test files after this one.
  for (const name of Object.keys(process.env)) if (!(name in environmentBefore)) delete process.env[name]
  Object.assign(process.env, environmentBefore)
})

test('the role of a function allows every call that the function made', () => {
  const refused = calls.filter((call) => !rights.some((right) => right.role === call.role && covers(right, call)))
  expect(calls.length).toBeGreaterThan(0)
  expect(refused).toEqual([])
})

test('every right of a role was used by its function', () => {
  const idle = rights
    .filter((right) => !calls.some((call) => call.role === right.role && isUse(call, right)))
    .filter(
      (right) =>
        !isOperatorRight(right) &&
        !isUsedByAthena(right) &&
        !unexercised.some(([pattern]) => pattern.test(right.action) || pattern.test(`${right.role} ${right.action}`)),
    )
    .map(({ role, action }) => `${role} ${action}`)
  expect(idle).toEqual([])
})

test('no log line contains a key, a signed URL or part of a request body', () => {
  // Events are not logs: they name the changes of a load.
  const files = readdirSync(join(folder, 'logs')).filter((file) => file.endsWith('.log'))
  const lines = files.flatMap((file) => readFileSync(join(folder, 'logs', file), 'utf8').split('\n'))
  const secrets = [...apiKeys, webhookSecret, 'X-Amz-Signature', 'X-Amz-Security-Token', unknown.payer, gold.plan]
  expect(lines.filter((line) => line.includes('"operation"')).length).toBeGreaterThan(10)
  expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
})
