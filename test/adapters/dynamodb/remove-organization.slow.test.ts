import { randomUUID } from 'node:crypto'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { createDynamoByteUsages } from '../../../adapters/dynamodb/dynamo-byte-usages.ts'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoOwnedItems } from '../../../adapters/dynamodb/dynamo-owned-items.ts'
import { createDynamoWebhooks } from '../../../adapters/dynamodb/dynamo-webhooks.ts'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createS3ResultFiles } from '../../../adapters/s3/s3-result-files.ts'
import { removeOrganizationFrom } from '../../../bin/access/remove-organization.ts'
import { removeOrganization } from '../../../core/access/remove-organization.ts'
import { webhookEvents } from '../../../schema/events.ts'
import { runCommandLine } from '../../bin/run-command-line.ts'
import { storeJob } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { environment, tables, resultsBucket } = connectEndpoints()
const dynamo = connectDynamo()
const ownedStores = {
  tables: { Access: tables.access, Jobs: tables.jobs, Webhooks: tables.webhooks },
  listBuckets: () => [resultsBucket],
}
const access = createDynamoAccess(dynamo, tables.access)
const jobs = createDynamoJobs(dynamo, tables.jobs)
const files = createS3ResultFiles(resultsBucket)

/** Stores an organization with a key, an ended job of each kind and a file of results. */
async function storeOrganization() {
  const { orgId } = await storeKey(access)
  const endedJobs = [await storeJob(jobs, 'completed', { orgId }), await storeJob(jobs, 'failed', { orgId })]
  const key = `results/${orgId}/${randomUUID()}/run/attempt-1/file`
  // An empty file, which can be read back as a manifest.
  await new S3Client({}).send(new PutObjectCommand({ Bucket: resultsBucket, Key: key, Body: '' }))
  const createdAt = new Date()
  const url = 'https://hooks.example'
  const endpoint = { orgId, endpointId: 'one', url, events: webhookEvents, createdAt, secrets: [{ secret: 'whsec_' }] }
  await createDynamoWebhooks(dynamo, tables.webhooks).create(endpoint)
  const day = '2026-11-20'
  await createDynamoByteUsages(dynamo, tables.jobs).take({ orgId, keyId: 'one', day, bytes: 1 }, 1)
  return { orgId, key, jobs: endedJobs }
}

async function countItems(orgId: string): Promise<readonly number[]> {
  const counts = [tables.access, tables.jobs, tables.webhooks].map(async (TableName) => {
    const query = { KeyConditionExpression: 'org_id = :org', ExpressionAttributeValues: { ':org': orgId } }
    return (await dynamo.send(new QueryCommand({ TableName, ...query }))).Count ?? -1
  })
  return Promise.all(counts)
}

const isStored = (key: string) => files.readManifest(`s3://${resultsBucket}/${key}`).then(Boolean, () => false)

const deps = {
  access,
  keys: createDynamoOwnedItems(dynamo, tables.access),
  jobs: createDynamoOwnedItems(dynamo, tables.jobs),
  webhooks: createDynamoOwnedItems(dynamo, tables.webhooks),
  resultFiles: files,
}

describe('remove-organization', () => {
  it('deletes keys, searches, requests and results of that organization only', async () => {
    const [{ orgId, key }, other] = [await storeOrganization(), await storeOrganization()]
    const before = await countItems(other.orgId)
    const { facts, text } = await removeOrganizationFrom(ownedStores, [orgId], true)
    expect(facts).toEqual({ orgId, deleted: { keys: 1, searches: 2 } })
    expect(text).toContain('Kept until they expire: logs')
    expect([await countItems(orgId), await isStored(key)]).toEqual([[0, 0, 0], false])
    expect([await countItems(other.orgId), await isStored(other.key)]).toEqual([before, true])
    await expect(removeOrganizationFrom(ownedStores, [orgId], true)).rejects.toThrow(
      `there is no organization ${orgId}`,
    )
  })

  it('deactivates an organization whose searches have not ended, and deletes nothing of it', async () => {
    const { orgId, key } = await storeOrganization()
    await storeJob(jobs, 'processing', { orgId })
    const before = await countItems(orgId)
    await expect(removeOrganizationFrom(ownedStores, [orgId], true)).rejects.toThrow('1 of its searches have not ended')
    expect([await countItems(orgId), await isStored(key)]).toEqual([before, true])
    expect((await access.listOrganizations()).find((each) => each.orgId === orgId)?.active).toBe(false)
  })

  it.each(['removeBelow', 'jobs', 'keys'])('can be repeated after it was killed at %s', async (position) => {
    const { orgId, key } = await storeOrganization()
    const fail = () => Promise.reject(new Error('killed'))
    const broken = {
      ...deps,
      ...(position === 'removeBelow' && { resultFiles: { removeBelow: fail } }),
      ...(position === 'jobs' && { jobs: { ...deps.jobs, remove: fail } }),
      ...(position === 'keys' && { keys: { ...deps.keys, remove: fail } }),
    }
    await expect(removeOrganization(broken, orgId)).rejects.toThrow('killed')
    expect(await removeOrganization(deps, orgId)).toMatchObject({ unended: 0 })
    expect([await countItems(orgId), await isStored(key)]).toEqual([[0, 0, 0], false])
  })

  it('asks for a confirmation, one id, and an installation that has searches', async () => {
    const refusals = [
      removeOrganizationFrom(ownedStores, ['a'], false),
      removeOrganizationFrom(ownedStores, [], true),
      removeOrganizationFrom(undefined, ['a'], true),
    ].map((refusal) => refusal.catch((error: unknown) => String(error)))
    expect(await Promise.all(refusals)).toEqual([
      expect.stringContaining('confirm with --yes'),
      expect.stringContaining('takes one organization id'),
      expect.stringContaining('takes --data or --stage, not --table'),
    ])
    const { errors, exitCode } = await runCommandLine('keys', ['list', '--yes', '--table', 't'], environment)
    expect([errors, exitCode]).toEqual(['error: --yes belongs to remove-organization, not to list (see --help)\n', 2])
  })
})

describe('create-organization', () => {
  const keys = (...args: readonly string[]) => runCommandLine('keys', [...args, '--table', tables.access], environment)

  it.each(['', '   ', 'a\u0007b'])('refuses the name %j', async (name) => {
    const { errors, output, exitCode } = await keys('create-organization', name)
    expect([output, exitCode]).toEqual(['', 2])
    expect(errors).toMatch(/^error: the name of an organization must not /)
  })

  it('reports that another organization has the name, and lists both with their dates', async () => {
    const name = `Twice ${randomUUID()}`
    const first = (await keys('create-organization', name)).output.trim()
    const second = await keys('create-organization', `  ${name} `)
    expect(second.errors).toContain(`note: this is also the name of ${first}\n`)
    const { organizations } = JSON.parse((await keys('list', '--json')).output)
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(organizations.filter((each: { name: string }) => each.name === name)).toMatchObject([
      { created_at },
      { created_at },
    ])
  })
})
