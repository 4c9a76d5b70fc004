import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { describe, expect, it } from 'vitest'
import { createLogQueries, maxLogGroups } from '../../../adapters/cloudwatch/cloudwatch-log-queries.ts'
import {
  chooseLogs,
  followLogs,
  listStageLogs,
  readLogLine,
  runLogQuery,
  writeLogStatement,
} from '../../../bin/account/log-query.ts'
import { functionNames } from '../../../schema/function-names.ts'
import { type Answer, type Call, type HttpStub, refuse, startHttpStub } from '../../doubles/http-stub.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'
import { dev, guarded, type Resource } from '../../templates/templates.ts'

/** A stack's resources as CloudFormation lists them, once it has made them. */
const deployed = (template: readonly Resource[]) =>
  template.map(({ id, type }) => ({ type, logicalId: id, physicalId: `SearchService-dev-${id}-AbC123` }))

describe('the logs of a stage', () => {
  it('carry the names of the functions that write them', () => {
    const logs = listStageLogs(deployed(dev().service))
    const names = functionNames.filter((name) => name !== 'refresh-fee-schedules')
    expect(logs.map(({ name }) => name).sort()).toEqual([...names, 'workflow'].sort())
    const group = logs.find(({ name }) => name === 'start-query')?.group
    expect(group).toMatch(/^SearchService-dev-StartQueryLogs[0-9A-F]{8}-AbC123$/)
  })

  it('carry a name each and fit into one query, with every setting of a stage', () => {
    const logs = listStageLogs(deployed(guarded().service))
    expect(logs.map(({ name }) => name)).toEqual(expect.arrayContaining(['access', 'loads', 'loads-workflow']))
    expect(logs.filter(({ name }) => !/^[a-z-]+$/.test(name))).toEqual([])
    expect(new Set(logs.map(({ name }) => name)).size).toBe(logs.length)
    expect(chooseLogs(logs, []).length).toBeLessThanOrEqual(maxLogGroups)
  })

  it('can be chosen by their names, and a wrong name lists them', () => {
    const logs = ['get-search', 'start-query'].map((name) => ({ name, group: `${name}-group` }))
    expect(chooseLogs(logs, ['start-query'])).toEqual([logs[1]])
    expect(() => chooseLogs(logs, ['start-qery'])).toThrow(
      'the stage has no log of a function "start-qery": it has get-search, start-query',
    )
  })

  it('cause a refusal if they are too many for a query', () => {
    const logs = Array.from({ length: maxLogGroups + 1 }, (_, index) => ({ name: `l${index}`, group: `g${index}` }))
    expect(() => chooseLogs(logs, [])).toThrow('the stage has 51 logs, and a query takes 50')
  })
})

describe('the statement of a search in the logs', () => {
  it('asks for the newest lines', () => {
    expect(writeLogStatement({}, 50)).toBe('fields @timestamp, @log, @message | sort @timestamp desc | limit 50')
  })

  it('contains a filter for each condition', () => {
    const lines = {
      job: 'a1',
      request: 'b-2',
      load: 'c3',
      event: 'query failed',
      filter: 'event = "query failed" or level = "ERROR"',
    }
    expect(writeLogStatement(lines, 7)).toBe(
      'fields @timestamp, @log, @message | filter job_id = "a1" | filter request_id = "b-2" | filter load_id = "c3" ' +
        '| filter event = "query failed" | filter event = "query failed" or level = "ERROR" | sort @timestamp desc | limit 7',
    )
  })

  it('refuses an id that would end its quotes', () => {
    expect(() => writeLogStatement({ job: 'a" or 1 = 1' }, 50)).toThrow('--job must be an id of letters')
  })
})

it('names a line by its function, or by a group that the stage no longer has', () => {
  const logs = [{ name: 'start-query', group: 'group-1' }]
  const row = { '@timestamp': '2026-11-24 10:00:00.123', '@message': '{"event":"x"}\n', '@ptr': 'CmEK' }
  const line = { time: '2026-11-24 10:00:00.123', message: '{"event":"x"}' }
  expect(readLogLine({ ...row, '@log': '111122223333:group-1' }, logs)).toEqual({ ...line, log: 'start-query' })
  expect(readLogLine({ ...row, '@log': '111122223333:other' }, logs)).toEqual({ ...line, log: 'other' })
})

const query = {
  logGroups: ['group-1', 'group-2'],
  statement: 'fields @message',
  from: new Date('2026-11-24T07:00:00.500Z'),
  to: new Date('2026-11-24T10:00:00.500Z'),
}

/** Answers StartQuery, then GetQueryResults with each status in turn. */
function answering(statuses: readonly string[]): (call: Call) => Answer {
  const remaining = [...statuses]
  return ({ operation }) => {
    const answers: Readonly<Record<string, object>> = {
      StartQuery: { queryId: 'query-1' },
      StopQuery: { success: true },
      GetQueryResults: {
        status: operation === 'GetQueryResults' ? remaining.shift() : undefined,
        results: [[{ field: '@message', value: 'one' }, { field: '@log' }]],
        statistics: { recordsMatched: 12, bytesScanned: 345 },
      },
    }
    return { status: 200, body: JSON.stringify(answers[operation]) }
  }
}

const run = (logs: HttpStub, signal = new AbortController().signal, wait = async () => {}) =>
  runLogQuery(createLogQueries(new CloudWatchLogsClient(sdkSettings(logs.url))), query, { signal, wait })

const operationsOf = ({ calls }: HttpStub) => calls.map(({ operation }) => operation)

describe('a query of the logs', () => {
  it('gets looks until it is complete', async () => {
    await using logs = await startHttpStub(answering(['Scheduled', 'Running', 'Complete']))
    expect(await run(logs)).toEqual({
      status: 'Complete',
      rows: [{ '@message': 'one', '@log': '' }],
      matches: 12,
      bytesScanned: 345,
    })
    expect(operationsOf(logs)).toEqual(['StartQuery', 'GetQueryResults', 'GetQueryResults', 'GetQueryResults'])
    expect(JSON.parse(logs.calls[0]?.body ?? '')).toEqual({
      logGroupNames: ['group-1', 'group-2'],
      queryString: 'fields @message',
      startTime: Date.parse('2026-11-24T07:00:00Z') / 1000,
      endTime: Date.parse('2026-11-24T10:00:01Z') / 1000,
    })
  })

  it.each(['Failed', 'Cancelled', 'Timeout', 'Unknown'])('fails at once if it ends as %s', async (status) => {
    await using logs = await startHttpStub(answering(['Running', status]))
    await expect(run(logs)).rejects.toThrow(`the query of the logs ended as ${status}: run it again, over less time`)
    expect(operationsOf(logs)).toEqual(['StartQuery', 'GetQueryResults', 'GetQueryResults'])
  })

  it('fails without a look if it cannot start', async () => {
    await using logs = await startHttpStub(() => refuse(400, 'MalformedQueryException'))
    await expect(run(logs)).rejects.toThrow('MalformedQueryException')
    expect(operationsOf(logs)).toEqual(['StartQuery'])
  })

  it('stops if nobody waits for it any more', async () => {
    await using logs = await startHttpStub(answering(['Running', 'Running']))
    const leaving = new AbortController()
    const waiting = run(logs, leaving.signal, async () => leaving.abort())
    await expect(waiting).rejects.toThrow('stopped, and the query with it')
    expect(operationsOf(logs)).toEqual(['StartQuery', 'GetQueryResults', 'StopQuery'])
    expect(JSON.parse(logs.calls[2]?.body ?? '')).toEqual({ queryId: 'query-1' })
  })
})

describe('the lines that are followed', () => {
  it('come once each, in the order of their times, although each look sees the last minutes again', async () => {
    const time = (second: number) => new Date(Date.parse('2026-11-24T10:00:00Z') + second * 1000)
    const row = (id: number) => [
      { field: '@timestamp', value: `2026-11-24 10:00:0${id}.000` },
      { field: '@ptr', value: `line ${id}` },
    ]
    const looks = [[row(1)], [row(3), row(1)], [row(3), row(2), row(1)]]
    let look = -1
    await using stub = await startHttpStub(({ operation }) => {
      if (operation === 'StartQuery') look++
      const results = { status: 'Complete', results: looks[look] ?? [], statistics: {} }
      return { status: 200, body: JSON.stringify(operation === 'StartQuery' ? { queryId: `${look}` } : results) }
    })
    const stopping = new AbortController()
    const queries = createLogQueries(new CloudWatchLogsClient(sdkSettings(stub.url)))
    let clock = 400
    const options = {
      from: time(0),
      now: () => time(clock),
      signal: stopping.signal,
      wait: async () => {
        clock += 5
      },
    }
    const pointers: (string | undefined)[] = []
    for await (const rows of followLogs(queries, { logGroups: ['g'], statement: 'fields @message' }, options)) {
      pointers.push(...rows.map((each) => each['@ptr']))
      if (look === 2) stopping.abort()
    }
    expect(pointers).toEqual(['line 1', 'line 3', 'line 2'])
    const starts = stub.calls.flatMap(({ operation, body }) => (operation === 'StartQuery' ? [JSON.parse(body)] : []))
    expect(starts.map(({ startTime, endTime }) => endTime - startTime)).toEqual([180, 180, 180])
  })
})
