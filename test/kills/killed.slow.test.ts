import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWebhookReceiver, type WebhookReceiver } from '../doubles/webhook-receiver.ts'
import { ageJobsAtRest } from '../harness/stored-jobs.ts'
import { root } from '../templates/source-files.ts'
import { awaitEnds, findFaults } from './job-ends.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'
import { createSteadyClient, type SteadyClient } from './steady-client.ts'

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

/** Sends searches until an accepted one has not ended yet, then kills the service. */
async function sendAndKill(life: ServiceProcess, client: SteadyClient): Promise<void> {
  const service = await life.ready
  const sentBefore = client.sent.length
  const isUnderWay = () =>
    client.sent.slice(sentBefore).some(({ jobId, end }) => jobId !== undefined && end === undefined)
  do await client.run(service, 100, AbortSignal.timeout(700))
  while (!isUnderWay())
  await life.kill()
}

/** Adds a receiver of this machine as a webhook of the client's organization. */
async function addWebhook(life: ServiceProcess, { url }: WebhookReceiver): Promise<void> {
  const { apiKey } = await life.ready
  const [, orgId = ''] = /^rates_(\w{12})/.exec(apiKey) ?? []
  const words = ['bin/webhooks.ts', 'create', orgId, `${url}/hook`, '--events', 'search.ended', '--data', folder]
  await promisify(execFile)(process.execPath, words, { cwd: root })
}

/** The ids under which a job's end was told. A call that a kill cut is made again minutes later. */
const idsOfCalls = ({ calls }: WebhookReceiver, jobId: string) => [
  ...new Set(calls.filter(({ body }) => body.includes(jobId)).map(({ headers }) => headers['webhook-id'])),
]

describe('a service that is killed', () => {
  it('keeps every accepted job after two kills, ends each with the right rows, and tells webhooks of each', async () => {
    await using receiver = await startWebhookReceiver()
    const client = createSteadyClient(() => 0.1 + (client.sent.length % 8) / 10)
    const life = start()
    await addWebhook(life, receiver)
    await sendAndKill(life, client)
    await sendAndKill(start(), client)

    expect(await ageJobsAtRest(folder)).toBeGreaterThan(0)

    const service = await start().ready
    await awaitEnds(client, service, AbortSignal.timeout(240_000))
    await client.askAgain(service)
    const untold = () => client.sent.filter(({ jobId = '' }) => idsOfCalls(receiver, jobId).length === 0)
    await expect.poll(untold, { timeout: 300_000, interval: 1000 }).toEqual([])
    expect(await findFaults(client, folder)).toEqual([])
    for (const { jobId = '' } of client.sent) expect(idsOfCalls(receiver, jobId)).toHaveLength(1)
  }, 600_000)

  it('leaves the next start undisturbed if it was killed during synthesis', async () => {
    const life = start()
    const assemblies = () => readdirSync(folder).filter((name) => name.startsWith('cdk.out'))
    while (assemblies().length === 0) await sleep(20)
    await life.kill()
    // The orphaned synthesis runs to its end.
    const manifests = () => assemblies().filter((name) => existsSync(join(folder, name, 'manifest.json')))
    while (manifests().length === 0) await sleep(50)
    expect(manifests()).not.toContain('cdk.out')
  }, 120_000)
})
