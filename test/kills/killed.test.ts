import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jobItem } from '../../core/tables.ts'
import { addSeconds } from '../../core/timestamp.ts'
import { findWrongEnd } from './known-searches.ts'
import type { Ready, ServiceProcess } from './service-process.ts'
import { startServiceProcess } from './service-process.ts'
import type { SteadyClient } from './steady-client.ts'
import { createSteadyClient } from './steady-client.ts'
import { connectTables, listStoredJobs } from './stored-jobs.ts'

let folder: string
let lives: ServiceProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killed-'))
  lives = []
})
afterEach(async () => {
  await Promise.all(lives.map((life) => life.stop()))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

function start(): ServiceProcess {
  const life = startServiceProcess(folder)
  lives.push(life)
  return life
}

/** Sends searches, kills the service while they run, and says which had not ended by then. */
async function sendAndKill(life: ServiceProcess, client: SteadyClient, afterMs: number): Promise<void> {
  await client.run(await life.ready, 100, AbortSignal.timeout(afterMs))
  await life.kill()
}

/** The jobs that no step looks after, as if that were so for three minutes: the sweeper's own time is too long for a test. */
async function ageUnendedJobs(): Promise<number> {
  const { client, table } = connectTables(folder)
  const unended = (await listStoredJobs(folder)).filter(({ status }) => status === 'queued' || status === 'processing')
  for (const { orgId, jobId } of unended) {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: { org_id: orgId, item: jobItem.job(jobId) },
        UpdateExpression: 'SET touched_at = :at',
        ConditionExpression: 'attribute_exists(touched_at)',
        ExpressionAttributeValues: { ':at': addSeconds(new Date(), -180).toISOString() },
      }),
    )
  }
  return unended.length
}

async function awaitEnds(client: SteadyClient, service: Ready): Promise<void> {
  for (let waited = 0; waited < 200 && client.sent.some(({ end }) => end === undefined); waited++) {
    await client.poll(service)
    await sleep(100)
  }
}

describe('a service that is killed', () => {
  it('twice still has every job that it accepted, and ends each with its rows', async () => {
    const client = createSteadyClient(() => 0.1 + (client.sent.length % 8) / 10)
    await sendAndKill(start(), client, 700)
    await sendAndKill(start(), client, 700)

    // A third life, in which nothing but the age of jobs is changed; its sweeper is that of the next one.
    const third = start()
    const service = await third.ready
    await client.resend(service)
    const told = client.sent.map(({ jobId }) => jobId)
    expect((await listStoredJobs(folder)).map(({ jobId }) => jobId).toSorted()).toEqual(told.toSorted())
    expect(await ageUnendedJobs()).toBeGreaterThan(0)
    await third.kill()

    const fourth = await start().ready
    await awaitEnds(client, fourth)
    await client.askAgain(fourth)
    expect(client.violations).toEqual([])
    const ends = client.sent.map(async ({ known, end }) => end && (await findWrongEnd(known, end)))
    expect(client.sent.map(({ end }) => end?.status).filter((status) => status === undefined)).toEqual([])
    expect((await Promise.all(ends)).filter((wrong) => wrong !== undefined)).toEqual([])
  }, 120_000)

  it('while it synthesises leaves its templates to nobody', async () => {
    const life = start()
    const assemblies = () => readdirSync(folder).filter((name) => name.startsWith('cdk.out'))
    while (assemblies().length === 0) await sleep(20)
    await life.kill()
    // The synthesis goes on without the service, to its end.
    const manifests = () => assemblies().filter((name) => existsSync(join(folder, name, 'manifest.json')))
    while (manifests().length === 0) await sleep(50)
    expect(manifests()).not.toContain('cdk.out')
  })
})
