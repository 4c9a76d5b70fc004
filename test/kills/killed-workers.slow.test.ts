import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoLoadRecords } from '../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoLoadWork } from '../../adapters/dynamodb/loads/dynamo-load-work.ts'
import type { OpenFile } from '../../core/loads/load-work.ts'
import { type LoadStep, stepExit } from '../../schema/load-step.ts'
import { buildFile, buildItem, buildPrice } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'
import { searchWarehouse } from '../builders/test-warehouse.ts'
import { type PayerSite, startPayerSite } from '../doubles/payer-site.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { type StepProcess, startStep } from './step-process.ts'

const { tables } = connectEndpoints()
const dynamo = connectDynamo()
const catalogue = createDynamoCatalogue(dynamo, tables.catalogue, tables.contents)
const records = createDynamoLoadRecords(dynamo, tables.contents)
const work = createDynamoLoadWork(dynamo, tables.contents)

const plans = ['Gold', 'Silver', 'Bronze', 'Tin']
const filesOfPlan = 3
const itemsOfFile = 300

let site: PayerSite
let folder: string
let payer: string
const steps: StepProcess[] = []

beforeEach(async () => {
  site = await startPayerSite()
  folder = await mkdtemp(join(tmpdir(), 'killed-workers-'))
  payer = `Harbor ${randomUUID()}`
})

afterEach(async () => {
  for (const step of steps) step.kill('SIGKILL')
  await Promise.all(steps.splice(0).map(({ ended }) => ended))
  await site[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Publishes a month: all rates of it have the same number, so that a mix of two is seen. */
function publish(month: number): void {
  const entries = plans.map((plan) => {
    const paths = Array.from({ length: filesOfPlan }, (_, index) => `/${plan}-${index}.json`)
    for (const [index, path] of paths.entries()) {
      const in_network = Array.from({ length: itemsOfFile }, (_each, item) =>
        buildItem({
          billing_code: String(10_000 * (index + 1) + item),
          prices: [buildPrice({ negotiated_rate: month, additional_information: plan })],
        }),
      )
      site.files.set(path, { body: Buffer.from(JSON.stringify(buildFile({ in_network }))) })
    }
    return { plans: [buildPlan(plan)], files: paths.map((path) => site.url + path) }
  })
  site.files.set('/toc.json', { body: Buffer.from(JSON.stringify(buildTableOfContents(...entries))) })
}

function start(step: LoadStep, loadId: string): StepProcess {
  const order = { toc: `${site.url}/toc.json`, payer, allowPrivateAddresses: true }
  const process = startStep(step, {
    LOAD_ID: loadId,
    CATALOGUE_TABLE: tables.catalogue,
    CONTENTS_TABLE: tables.contents,
    RATES_LOCATION: `${pathToFileURL(join(folder, 'warehouse')).href}/`,
    SCRATCH_FOLDER: folder,
    LOAD_ORDER: JSON.stringify(order),
  })
  steps.push(process)
  return process
}

/** The month that searches of each plan read: all of one, or the search is wrong. */
async function readMonths(): Promise<ReadonlySet<string>> {
  const months = new Set<string>()
  for (const plan of plans) {
    const entries = await catalogue.find([{ payer, plan }])
    const rows = await searchWarehouse(join(folder, 'warehouse'), entries)
    const rates = new Set(rows.map((row) => String(Number(row['negotiated_rate']))))
    expect({ plan, rows: rows.length, rates: rates.size }).toEqual({
      plan,
      rows: filesOfPlan * itemsOfFile,
      rates: 1,
    })
    expect(new Set(rows.map((row) => row['additional_information']))).toEqual(new Set([plan]))
    for (const rate of rates) months.add(rate)
  }
  return months
}

const openFiles = (loadId: string): Promise<OpenFile[]> => Array.fromAsync(work.listOpen(loadId))

/** Lets the leases run out that were live; the time for that is not waited for. */
async function expireLeases(loadId: string): Promise<void> {
  for (const { key, lease } of await openFiles(loadId))
    if (lease !== undefined) await work.renew(loadId, key, { ...lease, until: new Date(0) })
}

it('loses nothing and loads nothing twice when workers are killed, and searches never see a mix', async () => {
  publish(1)
  const first = randomUUID()
  expect(await start('plan', first).ended).toBe(stepExit.done)
  expect(await start('work', first).ended).toBe(stepExit.done)
  expect(await start('finish', first).ended).toBe(stepExit.done)
  expect(await readMonths()).toEqual(new Set(['1']))

  publish(2)
  const second = randomUUID()
  const killed = start('plan', second)
  await Promise.race([sleep(Math.random() * 3000), killed.ended])
  killed.kill('SIGKILL')
  await killed.ended
  expect(await start('plan', second).ended).toBe(stepExit.done)
  expect(await openFiles(second)).toHaveLength(plans.length * filesOfPlan)

  for (let kill = 0; kill < 6; kill++) {
    const workers = [start('work', second), start('work', second)]
    await Promise.all(workers.map((worker) => worker.awaitEvent('reading')))
    await sleep(Math.random() * 400)
    const isGentle = kill % 3 === 2
    for (const worker of workers) worker.kill(isGentle ? 'SIGTERM' : 'SIGKILL')
    const ends = await Promise.all(workers.map(({ ended }) => ended))
    // A worker for which nothing is left may end first.
    const ordinary = [stepExit.done, isGentle ? stepExit.interrupted : 'SIGKILL']
    for (const end of ends) expect(ordinary).toContain(end)
    const open = await openFiles(second)
    if (isGentle) expect(open.filter(({ lease }) => lease !== undefined)).toEqual([])
    await expireLeases(second)
    // Three workers that end refuse a file, which is not what is tried here.
    if (open.some(({ attempts }) => attempts >= 2)) break
    expect(await readMonths()).toEqual(new Set(['1']))
  }
  const last = [start('work', second), start('work', second)]
  expect(await Promise.all(last.map(({ ended }) => ended))).toEqual([stepExit.done, stepExit.done])
  expect(await openFiles(second)).toEqual([])
  expect([...(await work.readOutcomes(second)).values()].map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: plans.length * filesOfPlan }, () => 'ready'),
  )

  for (let kill = 0; kill < 3; kill++) {
    const finishing = start('finish', second)
    await Promise.race([finishing.awaitEvent('switching'), finishing.ended])
    await sleep(Math.random() * 100)
    finishing.kill('SIGKILL')
    await finishing.ended
    const months = await readMonths()
    expect([...months].filter((month) => month !== '1' && month !== '2')).toEqual([])
  }
  expect(await start('finish', second).ended).toBe(stepExit.done)
  expect(await readMonths()).toEqual(new Set(['2']))
  expect(await records.read(second)).toMatchObject({ state: 'completed', counts: { leftOut: 0 } })
  const logs = steps.flatMap(({ lines }) => lines)
  expect(logs.filter(({ event }) => event === 'error' || event === 'failed')).toEqual([])
}, 240_000)
