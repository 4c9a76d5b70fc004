import { randomUUID } from 'node:crypto'
import { AthenaClient } from '@aws-sdk/client-athena'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import type { Queries, QueryState } from '../../../core/search/ports.ts'
import { unloadStatement } from '../../../core/search/statement.ts'
import { request } from '../../builders/sample-search.ts'
import { refuse, startHttpStub } from '../../doubles/http-stub.ts'
import { createMemoryQueries } from '../../doubles/memory-ports.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'
import { openAthena } from '../../local/athena/test-athena.ts'
import { loadSource } from '../../local/athena/warehouse-fixture.ts'

const { resultsBucket, queryResults } = connectEndpoints()
const settings = { workGroup: 'rate-search', database: 'rate_search' }
const queries = createAthenaQueries(settings)

const newToken = () => `${randomUUID()}${randomUUID()}`

const destination = () => `s3://${resultsBucket}/results/${randomUUID()}/`

const statement = (to = destination()) =>
  unloadStatement({ ...request, npis: [1000000000] }, { contents: ['content-1'] }, to)

async function start(statement: string, on: Queries = queries): Promise<string> {
  const answer = await on.start({ statement, token: newToken() })
  if (answer.outcome !== 'started') throw new Error(`the query is ${answer.outcome}`)
  return answer.queryId
}

/** Polls until the query has ended. */
async function awaitEnd(queryId: string, on: Queries = queries): Promise<QueryState> {
  await expect.poll(async () => (await on.look(queryId)).state, { timeout: 10_000 }).not.toBe('running')
  return on.look(queryId)
}

/** Opens Athena, or its double in tests of the core, whose queries run until they are stopped. */
const implementations = {
  Athena: () => openSeparateAthena({ queriesAtOnce: 0 }),
  memory: async () => ({ queries: createMemoryQueries(), [Symbol.asyncDispose]: async () => {} }),
}

describe.each(Object.entries(implementations))('queries of %s', (_, open) => {
  it('start once for the same token and statement', async () => {
    await using setup = await open()
    const query = { statement: statement(), token: newToken() }
    const [first, second] = await Promise.all([setup.queries.start(query), setup.queries.start(query)])
    expect(first).toEqual({ outcome: 'started', queryId: expect.any(String) })
    expect(second).toEqual(first)
  })

  it('report a token that was used with another statement', async () => {
    await using setup = await open()
    const token = newToken()
    await setup.queries.start({ statement: statement(), token })
    expect(await setup.queries.start({ statement: statement(), token })).toEqual({ outcome: 'token-used' })
  })

  it('fail permanently when they are stopped, which is idempotent', async () => {
    await using setup = await open()
    const queryId = await start(statement(), setup.queries)
    expect(await setup.queries.look(queryId)).toEqual({ state: 'running' })
    await setup.queries.stop(queryId)
    const stopped = { state: 'failed', fault: 'permanent', reason: 'Query cancelled by user', bytesScanned: 0 }
    expect(await setup.queries.look(queryId)).toEqual(stopped)
    await setup.queries.stop(queryId)
    expect(await setup.queries.look(queryId)).toEqual(stopped)
  })

  it('cannot be polled if they were never started, and stopping them is a no-op', async () => {
    await using setup = await open()
    await expect(setup.queries.look(randomUUID())).rejects.toThrow('not found')
    await expect(setup.queries.stop(randomUUID())).resolves.toBeUndefined()
  })
})

describe('starting and stopping a query', () => {
  it('fails if Athena rejects the statement', async () => {
    const nonsense = queries.start({ statement: 'SELECT nonsense', token: newToken() })
    await expect(nonsense).rejects.toMatchObject({ name: 'QueryNotStarted', cause: expect.any(Error) })
  })

  it.each(['TooManyRequestsException', 'ThrottlingException'])('reports %s as throttled', async (name) => {
    await using stub = await startHttpStub(() => refuse(400, name))
    const throttled = createAthenaQueries(settings, new AthenaClient({ endpoint: stub.url, maxAttempts: 1 }))
    expect(await throttled.start({ statement: 'SELECT 1', token: newToken() })).toEqual({ outcome: 'throttled' })
    expect(await throttled.look('query-1')).toEqual({ state: 'running' })
  })

  it('fails if Athena returns no query id', async () => {
    await using stub = await startHttpStub(() => ({ status: 200, body: '{}' }))
    const broken = createAthenaQueries(settings, new AthenaClient({ endpoint: stub.url }))
    await expect(broken.start({ statement: 'SELECT 1', token: newToken() })).rejects.toThrow('no query id')
  })

  it('sends workgroup, database and token', async () => {
    await using stub = await startHttpStub(() => ({ status: 200, body: '{"QueryExecutionId":"query-1"}' }))
    const token = newToken()
    const stubbed = createAthenaQueries(settings, new AthenaClient({ endpoint: stub.url }))
    await stubbed.start({ statement: 'SELECT 1', token })
    expect(JSON.parse(stub.calls[0]?.body ?? '')).toEqual({
      QueryString: 'SELECT 1',
      ClientRequestToken: token,
      WorkGroup: 'rate-search',
      QueryExecutionContext: { Database: 'rate_search' },
    })
  })

  it('sends the location of results if the workgroup does not set it', async () => {
    await using stub = await startHttpStub(() => ({ status: 200, body: '{"QueryExecutionId":"query-1"}' }))
    const output = 's3://bucket/checks/'
    const stubbed = createAthenaQueries({ ...settings, output }, new AthenaClient({ endpoint: stub.url }))
    await stubbed.start({ statement: 'SELECT 1', token: newToken() })
    expect(JSON.parse(stub.calls[0]?.body ?? '').ResultConfiguration).toEqual({ OutputLocation: output })
  })

  it('fails to stop a query if Athena refuses for any reason but an unknown query', async () => {
    await using stub = await startHttpStub(() => refuse(400, 'AccessDeniedException'))
    const refused = createAthenaQueries(settings, new AthenaClient({ endpoint: stub.url, maxAttempts: 1 }))
    await expect(refused.stop('query-1')).rejects.toMatchObject({ name: 'AccessDeniedException' })
  })
})

describe('a query', () => {
  it('returns the address of its manifest and the bytes that it read when it succeeds', async () => {
    const state = await awaitEnd(await start(statement()))
    const manifest = expect.stringContaining(queryResults)
    expect(state).toEqual({ state: 'succeeded', manifest, bytesScanned: expect.any(Number) })
    expect(state.state === 'succeeded' && state.bytesScanned).toBeGreaterThan(0)
  })

  it('fails with leftovers if its destination has files', async () => {
    const to = destination()
    const key = `${to.slice(`s3://${resultsBucket}/`.length)}left-over`
    await new S3Client({}).send(new PutObjectCommand({ Bucket: resultsBucket, Key: key, Body: 'x' }))
    const state = await awaitEnd(await start(statement(to)))
    const reason = expect.stringContaining('HIVE_PATH')
    expect(state).toEqual({ state: 'failed', fault: 'leftovers', reason, bytesScanned: 0 })
  })

  it('fails with the data limit if it reads too much', async () => {
    await using athena = await openSeparateAthena({ dataLimitBytes: 1 })
    await loadSource(athena.warehouseFolder, { sourceId: 'source-1' })
    const state = await awaitEnd(await start(statement('s3://results/out/'), athena.queries), athena.queries)
    expect(state).toMatchObject({ state: 'failed', fault: 'data-limit' })
  })
})

async function openSeparateAthena(options: Parameters<typeof openAthena>[0]) {
  const { client, warehouseFolder, close } = await openAthena(options)
  return { queries: createAthenaQueries(settings, client), warehouseFolder, [Symbol.asyncDispose]: close }
}

describe('the status of a query', () => {
  it.each([
    { status: { State: 'QUEUED' }, expected: { state: 'running' } },
    { status: { State: 'RUNNING' }, expected: { state: 'running' } },
    { status: { State: 'SUCCEEDED' }, expected: { state: 'succeeded' } },
    {
      status: { State: 'FAILED', AthenaError: { ErrorCategory: 2, ErrorType: 3 }, StateChangeReason: 'No memory' },
      expected: { state: 'failed', fault: 'exhausted', reason: 'No memory' },
    },
    {
      status: { State: 'CANCELLED', StateChangeReason: 'Query cancelled! : Bytes scanned limit was exceeded' },
      expected: { state: 'failed', fault: 'data-limit' },
    },
    { status: { State: 'FAILED' }, expected: { state: 'failed', fault: 'permanent', reason: '' } },
  ])(
    'becomes $expected.state for the Athena state $status.State, without bytes if Athena states none',
    async ({ status, expected }) => {
      const body = JSON.stringify({ QueryExecution: { Status: status } })
      await using stub = await startHttpStub(() => ({ status: 200, body }))
      const stubbed = createAthenaQueries(settings, new AthenaClient({ endpoint: stub.url }))
      const state = await stubbed.look('query-1')
      expect(state).toMatchObject(expected)
      expect(state).not.toHaveProperty('bytesScanned')
    },
  )
})
