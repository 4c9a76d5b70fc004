import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { QueryExecution } from '@aws-sdk/client-athena'
import { AthenaClient, GetQueryExecutionCommand, StartQueryExecutionCommand } from '@aws-sdk/client-athena'
import type { AthenaOptions } from '../../../local/athena/server.ts'
import { startAthena } from '../../../local/athena/server.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'
import type { ObjectFolder } from './object-folder.ts'
import { createObjectFolder, queryResults } from './object-folder.ts'

/** A local Athena over an empty warehouse in a temporary folder, with an SDK client for it. */
export interface TestAthena {
  readonly client: AthenaClient
  readonly warehouseFolder: string
  readonly objects: ObjectFolder
  start(sql: string): Promise<string>
  get(id: string): Promise<QueryExecution>
  /** Waits until the query is in one of the states. */
  waitFor(id: string, ...states: readonly string[]): Promise<QueryExecution>
  /** Runs a query until it ends in any state. */
  run(sql: string): Promise<QueryExecution>
  /** Runs a query that must succeed, and returns the addresses in its manifest. */
  unload(sql: string): Promise<readonly string[]>
  close(): Promise<void>
}

export async function openAthena(options: Partial<AthenaOptions> = {}): Promise<TestAthena> {
  const folder = await mkdtemp(join(tmpdir(), 'athena-test-'))
  const warehouseFolder = join(folder, 'warehouse')
  const objects = createObjectFolder(join(folder, 'objects'))
  const server = await startAthena({
    warehouseFolder,
    objects,
    outputLocation: queryResults,
    now: () => new Date(),
    newId: randomUUID,
    ...options,
  })
  const client = new AthenaClient(sdkSettings(server.url))
  const start = async (sql: string) =>
    present((await client.send(new StartQueryExecutionCommand({ QueryString: sql }))).QueryExecutionId)
  const get = async (id: string) =>
    present((await client.send(new GetQueryExecutionCommand({ QueryExecutionId: id }))).QueryExecution)
  const waitFor = async (id: string, ...states: readonly string[]) => {
    for (let turn = 0; turn < 2000; turn++) {
      const query = await get(id)
      if (states.includes(query.Status?.State ?? '')) return query
      await wait(5)
    }
    throw new Error(`the query did not become ${states.join(' or ')}`)
  }
  const run = async (sql: string) => waitFor(await start(sql), 'SUCCEEDED', 'FAILED', 'CANCELLED')
  return {
    client,
    warehouseFolder,
    objects,
    start,
    get,
    waitFor,
    run,
    unload: async (sql) => {
      const { Status, Statistics } = await run(sql)
      if (Status?.State !== 'SUCCEEDED') throw new Error(Status?.StateChangeReason ?? 'no reason')
      const manifest = await objects.read(present(Statistics?.DataManifestLocation))
      return manifest.split('\n').filter((line) => line !== '')
    },
    close: async () => {
      client.destroy()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the value, or fails the test if it is missing. */
export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a value is missing')
  return value
}

/** An UNLOAD of a SELECT, as the service writes it. */
export function unloadOf(
  select: string,
  destination = 's3://results/out/',
  properties = "compression = 'SNAPPY'",
): string {
  return `UNLOAD (${select}) TO '${destination}' WITH (format = 'PARQUET', ${properties})`
}
