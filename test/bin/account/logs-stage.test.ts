import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCloudFormation } from '../../doubles/deployed-stacks.ts'
import { type Answer, type Call, type HttpStub, startHttpStub } from '../../doubles/http-stub.ts'
import { runCommandLine } from '../run-command-line.ts'

let cloudFormation: HttpStub
const group = (id: string) => ({ type: 'AWS::Logs::LogGroup', logicalId: id, physicalId: `SearchService-blue-${id}` })

beforeAll(async () => {
  cloudFormation = await startCloudFormation({
    'SearchService-blue': { resources: [group('StartQueryLogs01234567'), group('GetSearchLogs01234567')] },
  })
})

afterAll(() => cloudFormation[Symbol.asyncDispose]())

const variables = (logs: HttpStub) => ({
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
  AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: logs.url,
})

const row = (second: number, log: string) => [
  { field: '@timestamp', value: `2026-11-24 10:00:0${second}.000` },
  { field: '@log', value: `111122223333:SearchService-blue-${log}` },
  { field: '@message', value: `{"event":"event ${second}"}` },
]

const answering =
  (status: string) =>
  ({ operation }: Call): Answer => ({
    status: 200,
    body: JSON.stringify(
      operation === 'StartQuery'
        ? { queryId: 'query-1' }
        : {
            status,
            results: [row(2, 'GetSearchLogs01234567'), row(1, 'StartQueryLogs01234567')],
            statistics: { recordsMatched: 3, bytesScanned: 10 },
          },
    ),
  })

async function logs(status: string, ...args: readonly string[]) {
  await using stub = await startHttpStub(answering(status))
  const result = await runCommandLine('logs', ['--stage', 'blue', ...args], variables(stub))
  return { ...result, calls: stub.calls.map(({ operation, body }) => ({ operation, body: JSON.parse(body) })) }
}

describe('npm run logs', () => {
  it('prints lines in the order of their time, each with the function that wrote it', async () => {
    const { output, errors, exitCode } = await logs('Complete', '--job', 'a1b2')
    expect(output).toBe(
      '2026-11-24 10:00:01.000  start-query  {"event":"event 1"}\n2026-11-24 10:00:02.000  get-search   {"event":"event 2"}\n',
    )
    expect(errors).toBe(
      'showing the newest 2 of 3 lines: raise --limit, or narrow the search with --filter\nRead from the stage blue\n',
    )
    expect(exitCode).toBe(0)
  })

  it('searches exactly the logs of the stage, or those that are named, over the time that is given', async () => {
    const { calls } = await logs('Complete', '--since', '2h', '--json')
    const [{ body } = { body: undefined }] = calls
    expect(body.logGroupNames).toEqual([
      'SearchService-blue-StartQueryLogs01234567',
      'SearchService-blue-GetSearchLogs01234567',
    ])
    expect(body.endTime - body.startTime).toBeLessThanOrEqual(7201)
    expect(body.endTime - body.startTime).toBeGreaterThanOrEqual(7200)
    const chosen = await logs('Complete', '--function', 'get-search', '--filter', 'level = "ERROR"', '--limit', '5')
    expect(chosen.calls[0]?.body).toMatchObject({
      logGroupNames: ['SearchService-blue-GetSearchLogs01234567'],
      queryString: 'fields @timestamp, @log, @message | filter level = "ERROR" | sort @timestamp desc | limit 5',
    })
  })

  it('ends with an error if the query failed', async () => {
    const { output, errors, exitCode } = await logs('Failed')
    expect(output).toBe('')
    expect(errors).toMatch(/^error: the query of the logs ended as Failed: .*\n$/)
    expect(exitCode).toBe(1)
  })

  it.each([
    [['--since', 'yesterday'], '--since must be minutes, hours or days back from now'],
    [['--since', '2126-01-01T00:00:00Z'], 'a past time with its offset'],
    [['--event', 'a" or 1'], '--event must be the name of an event, such as "query failed", not "a" or 1"'],
    [['--limit', '0'], '--limit must be a whole number from 1 to 10000, not "0"'],
    [['--function', 'nothing'], 'the stage has no log of a function "nothing": it has get-search, start-query'],
  ])('refuses %j', async (args, message) => {
    const { errors, exitCode, calls } = await logs('Complete', ...args)
    expect(errors).toContain(message)
    expect({ exitCode, calls }).toEqual({ exitCode: 2, calls: [] })
  })

  it('follows lines as they appear, prints each once, and ends on Ctrl-C without an error', async () => {
    let looks = 0
    await using stub = await startHttpStub((call) => {
      if (call.operation === 'GetQueryResults') looks++
      return answering('Complete')(call)
    })
    const child = spawn(process.execPath, ['bin/logs.ts', '--stage', 'blue', '--follow', '--event', 'query failed'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...variables(stub) },
    })
    const watching = setInterval(() => {
      if (looks < 2) return
      clearInterval(watching)
      child.kill('SIGINT')
    }, 50)
    const [output, errors, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    expect(output).toBe(
      '2026-11-24 10:00:01.000  start-query  {"event":"event 1"}\n2026-11-24 10:00:02.000  get-search  {"event":"event 2"}\n',
    )
    expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })
    const [start] = stub.calls.map(({ body }) => JSON.parse(body))
    expect(start.queryString).toContain('| filter event = "query failed" |')
  })

  it('stops the query on Ctrl-C', async () => {
    await using stub = await startHttpStub(answering('Running'))
    const child = spawn(process.execPath, ['bin/logs.ts', '--stage', 'blue'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...variables(stub) },
    })
    const watching = setInterval(() => {
      if (!stub.calls.some(({ operation }) => operation === 'GetQueryResults')) return
      clearInterval(watching)
      child.kill('SIGINT')
    }, 50)
    const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect(errors).toBe('error: stopped, and the query with it\n')
    expect(exitCode).toBe(1)
    expect(stub.calls.at(-1)).toMatchObject({ operation: 'StopQuery' })
  })
})
