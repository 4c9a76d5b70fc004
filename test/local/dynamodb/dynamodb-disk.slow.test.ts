import { cpSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTables, startDynamo } from '../../../local/dynamodb/endpoint.ts'
import type { RunningServer } from '../../../local/http-server.ts'
import { readStackTemplate } from '../../../local/stack-template.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../../kills/disks/small-disk.ts'

const { assembly, tables } = connectEndpoints()

describe.skipIf(!canMount)('tables on a separate disk (needs root on Linux)', () => {
  let disk: SmallDisk
  let store: string
  let dynamo: RunningServer
  let copy: string
  beforeEach(async () => {
    disk = mountSmallDisk(24)
    store = join(disk.folder, 'dynamodb')
    copy = mkdtempSync(join(tmpdir(), 'tables-'))
    dynamo = await startDynamo(store)
    await createTables(dynamo.url, readStackTemplate(assembly, 'SearchService'))
  })
  afterEach(async () => {
    await dynamo.close()
    disk.remove()
    rmSync(copy, { recursive: true })
  })

  const connect = (endpoint: string) => DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, maxAttempts: 1 }))
  const key = (item: string) => ({ org_id: 'disk', item })
  const put = (item: string) =>
    connect(dynamo.url).send(new PutCommand({ TableName: tables.jobs, Item: { ...key(item), text: 'x'.repeat(3000) } }))
  const isStored = async (item: string, url = dynamo.url) => {
    const { Item } = await connect(url).send(new GetCommand({ TableName: tables.jobs, Key: key(item) }))
    return Item !== undefined
  }
  /** Stores items until one is refused, and returns the names of the stored ones. */
  async function putUntilRefused(): Promise<readonly string[]> {
    const stored: string[] = []
    for (let next = 0; ; next++) {
      const outcome = await put(`before-${next}`).catch((error: unknown) => error)
      if (outcome instanceof Error) {
        expect(outcome).toMatchObject({ name: 'InternalServerError', $metadata: { httpStatusCode: 500 } })
        return stored
      }
      stored.push(`before-${next}`)
    }
  }

  it("serve reads while the disk is full, and refuse writes with DynamoDB's error", async () => {
    await put('first')
    disk.fill()
    const stored = await putUntilRefused()
    for (const item of ['first', ...stored]) expect(await isStored(item)).toBe(true)
    await expect(put('refused')).rejects.toMatchObject({ name: 'InternalServerError' })
    expect(await isStored('refused')).toBe(false)
  })

  it('keep what was stored after the disk had room again, even after a kill', async () => {
    disk.fill()
    const before = await putUntilRefused()
    disk.free()
    const after = Array.from({ length: 20 }, (_, index) => `after-${index}`)
    for (const item of after) await put(item)
    // A killed process would leave the files as they are now.
    cpSync(store, copy, { recursive: true })
    const next = await startDynamo(copy)
    try {
      for (const item of [...before, ...after]) expect([item, await isStored(item, next.url)]).toEqual([item, true])
    } finally {
      await next.close()
    }
  })

  it('serve concurrent calls as soon as there is room', async () => {
    disk.fill()
    await putUntilRefused()
    disk.free()
    const items = Array.from({ length: 30 }, (_, index) => `at-once-${index}`)
    await Promise.all(items.flatMap((item) => [put(item), isStored('absent')]))
    expect(await Promise.all(items.map((item) => isStored(item)))).toEqual(items.map(() => true))
  })

  it('refuse every call while the store cannot be reopened, and recover afterwards', async () => {
    await put('first')
    disk.fill()
    await putUntilRefused()
    disk.free()
    const current = join(store, 'CURRENT')
    renameSync(current, `${current}.away`)
    mkdirSync(current)
    await expect(put('refused')).rejects.toMatchObject({ name: 'InternalServerError' })
    await expect(isStored('refused')).rejects.toMatchObject({ name: 'InternalServerError' })
    rmdirSync(current)
    renameSync(`${current}.away`, current)
    await put('later')
    for (const item of ['first', 'later']) expect(await isStored(item)).toBe(true)
  })

  it('serve reads and refuse writes while the disk is read-only, and recover afterwards', async () => {
    await put('first')
    disk.forbidWrites(store)
    // LevelDB keeps writing to its open log for as long as it can.
    const stored = await putUntilRefused()
    expect(stored.length).toBeGreaterThan(0)
    expect(await isStored('first')).toBe(true)
    disk.allowWrites(store)
    await put('later')
    for (const item of ['first', stored.at(-1) ?? '', 'later']) expect(await isStored(item)).toBe(true)
  })
})
