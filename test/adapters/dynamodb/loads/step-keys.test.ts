import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { connectCatalogue } from '../../../../bin/warehouse/connect-catalogue.ts'
import { writableKeys } from '../../../../lib/loads/step-keys.ts'
import { finishLoad } from '../../../../loader/fleet/finish-load.ts'
import { planFiles } from '../../../../loader/fleet/plan-files.ts'
import { workOnFiles } from '../../../../loader/fleet/work-on-files.ts'
import { openWarehouseFolder } from '../../../../loader/publish/warehouse/warehouse-folder.ts'
import { buildFile } from '../../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../../builders/table-of-contents-builder.ts'
import { testMachine } from '../../../builders/test-machine.ts'
import { type PayerSite, startPayerSite } from '../../../doubles/payer-site.ts'
import { makeTables } from '../../../endpoints/make-tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'step-keys-'))
const written = { plan: new Set<string>(), work: new Set<string>(), finish: new Set<string>() }
let site: PayerSite

const keyed = v.object({
  Item: v.optional(v.object({ owner: v.string() })),
  Key: v.optional(v.object({ owner: v.string() })),
})

/** Connects to DynamoDB, and records the partition keys of contents that are written. */
function connectRecorded(keys: Set<string>): DynamoDBDocumentClient {
  const dynamo = connectDynamo()
  dynamo.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        const key = v.safeParse(keyed, args.input)
        const owner = key.success ? (key.output.Item?.owner ?? key.output.Key?.owner) : undefined
        if (owner !== undefined && /^(Put|Update|Delete)/.test(commandName)) keys.add(owner)
        return next(args)
      },
    { step: 'initialize', priority: 'high' },
  )
  return dynamo
}

beforeAll(async () => {
  site = await startPayerSite()
  site.files.set('/a.json', { body: Buffer.from(JSON.stringify(buildFile({}))) })
  site.files.set('/broken.json', { body: Buffer.from('{"in_network": [{]}') })
  const contents = buildTableOfContents({
    plans: [buildPlan('Gold')],
    files: [`${site.url}/a.json`, `${site.url}/broken.json`],
  })
  site.files.set('/toc.json', { body: Buffer.from(JSON.stringify(contents)) })
  const tables = await makeTables('step-keys')
  const depsOf = (step: keyof typeof written) => ({
    ...connectCatalogue(
      { FeeSchedules: tables['FeeSchedules'] ?? '', Contents: tables['Contents'] ?? '' },
      connectRecorded(written[step]),
    ),
    warehouse: openWarehouseFolder(folder),
    now: () => site.now,
    newId: () => `id${++ids}`,
    machine: testMachine(),
    waiting: { sleep: () => new Promise<void>((resolve) => setImmediate(resolve)), random: () => 0.5 },
  })
  let ids = 0
  for (const loadId of ['first', 'second']) {
    const order = { toc: `${site.url}/toc.json`, files: [], partial: true, allowPrivateAddresses: true }
    await planFiles(loadId, order, depsOf('plan'))
    await workOnFiles(loadId, { ...depsOf('work'), worker: 'w1' })
    await finishLoad(loadId, depsOf('finish'))
  }
})

afterAll(async () => {
  await site[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** True if a condition with patterns of IAM admits a key. */
const isAdmitted = (key: string, patterns: readonly string[]) =>
  patterns.some((pattern) => (pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern))

describe('the keys to which a step of loads writes', () => {
  it.each(['plan', 'work'] as const)('%s may all be written', (step) => {
    expect(written[step].size).toBeGreaterThan(2)
    expect([...written[step]].filter((key) => !isAdmitted(key, writableKeys[step]))).toEqual([])
  })

  it('exclude what searches read, which only finish writes', () => {
    const searched = [...written.finish].filter((key) => /^(content#|words#|current-contents$)/.test(key))
    expect(searched.length).toBeGreaterThan(2)
    for (const step of ['plan', 'work'] as const)
      expect(searched.filter((key) => isAdmitted(key, writableKeys[step]))).toEqual([])
  })
})
