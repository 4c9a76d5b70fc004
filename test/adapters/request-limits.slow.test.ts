import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { limitRequests, requestMs, sdkAttempts, waitingRequests } from '../../adapters/request-limits.ts'
import { maxWaitSeconds } from '../../contract/limits.ts'
import { listen } from '../../local/http-server.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { sdkSettings } from '../endpoints/sdk-settings.ts'
import { readSources, withoutComments } from '../templates/source-files.ts'
import { deployedOperations, dev, named, pascal } from '../templates/templates.ts'

/** Connects with the retries of the SDK. */
const connect = (url: string, milliseconds: number) => {
  const { maxAttempts: _, ...settings } = sdkSettings(url)
  return new DynamoDBClient({ ...settings, ...limitRequests(milliseconds) })
}

const noTables = { status: 200, body: '{"TableNames":[]}' }

describe('a limited request', () => {
  it('runs again if its first attempt never gets a response', async () => {
    let calls = 0
    await using stub = await startHttpStub(() => (++calls === 1 ? new Promise<never>(() => {}) : noTables))
    const client = connect(stub.url, 200)
    expect(await client.send(new ListTablesCommand({}))).toMatchObject({ TableNames: [] })
    expect(calls).toBe(2)
  })

  it('fails by name after the attempts of the SDK', async () => {
    await using stub = await startHttpStub(() => new Promise<never>(() => {}))
    const client = connect(stub.url, 100)
    await expect(client.send(new ListTablesCommand({}))).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(stub.calls).toHaveLength(sdkAttempts)
  })

  it('fails if the response stalls after its first bytes', async () => {
    let calls = 0
    const server = await listen(async (_, response) => {
      calls++
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': '100' }).write('{')
    })
    const client = connect(server.url, 100)
    await expect(client.send(new ListTablesCommand({}))).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(calls).toBe(sdkAttempts)
    await server.close()
  })

  it('leaves an idle connection open for the next request', async () => {
    const ports = new Set<number | undefined>()
    const server = await listen(async (request, response) => {
      ports.add(request.socket.remotePort)
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"TableNames":[]}')
    })
    const client = connect(server.url, 200)
    await client.send(new ListTablesCommand({}))
    await new Promise((resolve) => setTimeout(resolve, 500))
    await client.send(new ListTablesCommand({}))
    expect(ports.size).toBe(1)
    client.destroy()
    await server.close()
  })
})

describe('the clients of the SDK', () => {
  it('carry request limits', () => {
    const adapters = readSources().filter(({ topLevelFolder }) => topLevelFolder === 'adapters')
    const clients = adapters.flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(/\bnew (?!HttpClient)\w+Client\(([^)]*)\)/g)].map(([call, settings = '']) => ({
        path,
        call,
        settings,
      })),
    )
    expect(clients.length).toBeGreaterThan(20)
    const isLimited = (settings: string) =>
      /\b((waiting|short|long|command|bulk)Requests|patientSettings|settings)\b/.test(settings)
    expect(clients.filter(({ settings }) => !isLimited(settings))).toEqual([])
  })

  it('fit all attempts of a request into the timeout of each function', () => {
    const seconds = deployedOperations.map((name) =>
      Number(named(dev().service, 'AWS::Lambda::Function', pascal(name)).properties['Timeout']),
    )
    expect((sdkAttempts * requestMs.short) / 1000).toBeLessThan(Math.min(...seconds))
    const timeoutOf = (name: (typeof deployedOperations)[number]) => seconds[deployedOperations.indexOf(name)]
    for (const name of ['delete-search', 'start-query', 'publish-results'] as const)
      expect((sdkAttempts * requestMs.long) / 1000).toBeLessThan(timeoutOf(name) ?? 0)
    // After the wait, its last read and the write that frees the slot.
    const waitMs = maxWaitSeconds * 1000 + 2 * waitingRequests.maxAttempts * requestMs.waiting
    expect(waitMs / 1000).toBeLessThan(timeoutOf('get-search') ?? 0)
  })
})
