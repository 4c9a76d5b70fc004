import {
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  InvalidRequestException,
  ListWorkGroupsCommand,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openAthena, type TestAthena, unloadOf } from './test-athena.ts'
import { loadSource } from './warehouse-fixture.ts'

const token = 'a'.repeat(64)
const select = 'SELECT npi FROM rates'
/** 400 million rows: outlasts any test. */
const endless = unloadOf('SELECT npi, price_id FROM rates')
const endlessSource = { sourceId: 's1', prices: 20_000, npis: 20_000 }

let athena: TestAthena

beforeEach(async () => {
  athena = await openAthena({ queriesAtOnce: 1 })
})

afterEach(() => athena.close())

const startWith = async (input: { readonly [key: string]: unknown; readonly QueryString?: string }) => {
  const sent = athena.client.send(
    new StartQueryExecutionCommand({ QueryString: select, ClientRequestToken: token, ...input }),
  )
  return sent.then(({ QueryExecutionId }) => QueryExecutionId)
}

describe('the client token', () => {
  it('starts only one query, no matter how often it is sent', async () => {
    const first = await startWith({})
    expect(await startWith({})).toBe(first)
    expect(await startWith({ ClientRequestToken: 'b'.repeat(32) })).not.toBe(first)
  })

  it('still refers to its query after the query has failed', async () => {
    const failed = await startWith({ QueryString: 'SELECT npi FROM nowhere' })
    await athena.waitFor(failed ?? '', 'FAILED')
    expect(await startWith({ QueryString: 'SELECT npi FROM nowhere' })).toBe(failed)
  })

  it.each([
    ['text', { QueryString: 'SELECT plan FROM rates' }],
    ['database', { QueryExecutionContext: { Database: 'other' } }],
    ['workgroup', { WorkGroup: 'other' }],
    ['output location', { ResultConfiguration: { OutputLocation: 's3://other/' } }],
  ])('belongs to its query, and fails with another %s', async (_, changed) => {
    await startWith({})
    const refused = await startWith(changed).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InvalidRequestException)
    expect(refused).toMatchObject({
      AthenaErrorCode: 'IDEMPOTENT_PARAMETER_MISMATCH',
      message: 'Idempotent parameters do not match',
    })
  })

  it.each([31, 129])('fails with %d characters: it must have 32 to 128', async (length) => {
    await expect(startWith({ ClientRequestToken: 'a'.repeat(length) })).rejects.toThrow(InvalidRequestException)
  })

  it('becomes free once its query is forgotten, which does not happen before the query ends', async () => {
    await athena.close()
    athena = await openAthena({ queriesAtOnce: 1, remembered: 1 })
    await loadSource(athena.warehouseFolder, endlessSource)
    const first = await startWith({ QueryString: 'SELECT npi FROM nowhere' })
    await athena.waitFor(first ?? '', 'FAILED')
    await athena.run('SELECT plan FROM nowhere')
    await expect(athena.get(first ?? '')).rejects.toThrow(InvalidRequestException)
    const running = await startWith({ QueryString: endless })
    await athena.waitFor(running ?? '', 'RUNNING')
    for (const id of [await athena.start('SELECT payer FROM nowhere'), await athena.start('SELECT npi FROM nowhere')])
      await athena.client.send(new StopQueryExecutionCommand({ QueryExecutionId: id }))
    expect(await startWith({ QueryString: endless })).toBe(running)
  })

  it('stays free after a refused statement', async () => {
    await expect(startWith({ QueryString: 'SELECT' })).rejects.toThrow(InvalidRequestException)
    expect(await startWith({})).toBeDefined()
  })
})

describe('starting a query', () => {
  it('accepts at most 262,144 bytes of UTF-8', async () => {
    const longest = `SELECT npi FROM rates WHERE plan = '${'é'.repeat(131_053)}' `
    expect(Buffer.byteLength(longest)).toBe(262_144)
    expect(await athena.start(longest)).toBeDefined()
    await expect(athena.start(`${longest} `)).rejects.toThrow('262144 bytes')
  })

  it('requires an output location from the call or the options', async () => {
    await athena.close()
    athena = await openAthena({ outputLocation: '' })
    await expect(startWith({})).rejects.toThrow(InvalidRequestException)
    const id = await startWith({ ResultConfiguration: { OutputLocation: 's3://bucket/somewhere' } })
    expect((await athena.get(id ?? '')).ResultConfiguration?.OutputLocation).toBe(`s3://bucket/somewhere/${id}.csv`)
  })
})

describe('a query', () => {
  it('reports its times, scanned bytes and request', async () => {
    await athena.close()
    athena = await openAthena({ now: () => new Date('2026-11-20T09:30:00.250Z') })
    await loadSource(athena.warehouseFolder, { sourceId: 's1' })
    const query = await athena.run(select)
    expect(query).toMatchObject({ Query: select, WorkGroup: 'primary', StatementType: 'DML' })
    expect(query.Status).toMatchObject({
      SubmissionDateTime: new Date('2026-11-20T09:30:00.250Z'),
      CompletionDateTime: new Date('2026-11-20T09:30:00.250Z'),
    })
    expect(query.Statistics).toMatchObject({ EngineExecutionTimeInMillis: 0 })
    expect(query.Statistics?.DataScannedInBytes).toBeGreaterThan(0)
  })

  it('waits while the maximum number of queries runs, and starts when one ends', async () => {
    await loadSource(athena.warehouseFolder, endlessSource)
    const running = await athena.start(endless)
    const waiting = await athena.start('SELECT payer FROM fee_schedule_sources')
    await athena.waitFor(running, 'RUNNING')
    expect((await athena.get(waiting)).Status?.State).toBe('QUEUED')
    await athena.client.send(new StopQueryExecutionCommand({ QueryExecutionId: running }))
    expect((await athena.waitFor(waiting, 'SUCCEEDED', 'FAILED')).Status?.State).toBe('SUCCEEDED')
  })

  it('stops while running or waiting, and leaves no files', async () => {
    await loadSource(athena.warehouseFolder, endlessSource)
    const ids = [await athena.start(endless), await athena.start(endless)]
    for (const id of ids) {
      await athena.client.send(new StopQueryExecutionCommand({ QueryExecutionId: id }))
      const { Status } = await athena.waitFor(id, 'CANCELLED', 'SUCCEEDED', 'FAILED')
      expect(Status).toMatchObject({ State: 'CANCELLED', StateChangeReason: 'Query cancelled by user' })
    }
    expect(await athena.objects.list('results', '')).toEqual([])
  })

  it('stays unchanged by a stop after it has ended', async () => {
    const ended = await athena.run(select)
    await athena.client.send(new StopQueryExecutionCommand({ QueryExecutionId: ended.QueryExecutionId }))
    expect(await athena.get(ended.QueryExecutionId ?? '')).toEqual(ended)
  })

  it('ends as cancelled if it would read more bytes than the limit', async () => {
    await athena.close()
    athena = await openAthena({ dataLimitBytes: 10_000 })
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 10_000 })
    const { Status } = await athena.run(endless)
    expect(Status).toMatchObject({
      State: 'CANCELLED',
      StateChangeReason: 'Query cancelled! : Bytes scanned limit was exceeded',
    })
    expect((await athena.run(`${select} WHERE source_id = 'other'`)).Status?.State).toBe('SUCCEEDED')
  })
})

describe('the Athena endpoint', () => {
  it('refuses an unknown query', async () => {
    const unknown = { QueryExecutionId: 'unknown' }
    const complaint = 'QueryExecution unknown was not found'
    await expect(athena.client.send(new GetQueryExecutionCommand(unknown))).rejects.toThrow(complaint)
    await expect(athena.client.send(new GetQueryResultsCommand(unknown))).rejects.toThrow(complaint)
    await expect(athena.client.send(new StopQueryExecutionCommand(unknown))).rejects.toThrow(complaint)
  })

  it('refuses unsupported operations by name', async () => {
    await expect(athena.client.send(new ListWorkGroupsCommand({}))).rejects.toThrow(
      'ListWorkGroups is not supported on this machine',
    )
  })

  it('closes within a second, even while queries run', async () => {
    await loadSource(athena.warehouseFolder, endlessSource)
    await athena.waitFor(await athena.start(endless), 'RUNNING')
    await athena.start(endless)
    const begin = performance.now()
    await athena.close()
    expect(performance.now() - begin).toBeLessThan(1000)
    athena = await openAthena()
  })
})
