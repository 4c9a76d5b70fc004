import { AthenaClient } from '@aws-sdk/client-athena'
import { describe, expect, it } from 'vitest'
import { createAthenaInspection } from '../../../adapters/athena/athena-inspection.ts'
import { listClasses, readSelect } from '../../../bin/smoke/measure-searches.ts'
import { writeMeasuredPage } from '../../../bin/smoke/measured-page.ts'
import { selectStatement, unloadStatement } from '../../../core/search/statement.ts'
import { request } from '../../builders/sample-search.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'

const feeSchedule = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }

describe('the classes of searches that are measured', () => {
  it('differ in what they name, and name each value once', () => {
    const pairs = [
      { npi: 1000100002, code: '99213' },
      { npi: 1000100002, code: '27447' },
      { npi: 1000100010, code: '99213' },
    ]
    expect(listClasses({ pairs, feeSchedule })).toEqual([
      ['one provider, one code', { npis: [1000100002], billing_codes: ['99213'], fee_schedules: [feeSchedule] }],
      ['one provider', { npis: [1000100002], fee_schedules: [feeSchedule] }],
      ['one code', { billing_codes: ['99213'], fee_schedules: [feeSchedule] }],
      ['2 providers', { npis: [1000100002, 1000100010], fee_schedules: [feeSchedule] }],
      ['2 codes', { billing_codes: ['99213', '27447'], fee_schedules: [feeSchedule] }],
    ])
    expect(() => listClasses({ pairs: [], feeSchedule })).toThrow('no provider with a code')
  })
})

describe('the SELECT of a search', () => {
  it('explains the search without its UNLOAD', () => {
    const scope = { contents: ['content-1'] } as const
    for (const spread of [undefined, 4])
      expect(readSelect(unloadStatement(request, scope, 's3://results/a/', spread))).toBe(
        selectStatement(request, scope, spread),
      )
    expect(() => readSelect('SELECT 1')).toThrow('no UNLOAD')
  })
})

describe('a measured query', () => {
  it('comes with Athena’s own numbers, found by the id of its job', async () => {
    await using stub = await startHttpStub(({ operation }) => ({
      status: 200,
      body: JSON.stringify(
        operation === 'ListQueryExecutions'
          ? { QueryExecutionIds: ['q2', 'q1'] }
          : {
              QueryExecutions: [
                { QueryExecutionId: 'q2', Query: 'SELECT 1' },
                {
                  QueryExecutionId: 'q1',
                  Query: "UNLOAD (\nSELECT 1\n) TO 's3://results/results/acme/job-1/'",
                  Status: { SubmissionDateTime: 1000, CompletionDateTime: 1003 },
                  Statistics: {
                    DataScannedInBytes: 12_345,
                    QueryPlanningTimeInMillis: 300,
                    EngineExecutionTimeInMillis: 900,
                  },
                },
              ],
            },
      ),
    }))
    const inspection = createAthenaInspection('rates', new AthenaClient(sdkSettings(stub.url)))
    expect(await inspection.findQuery('/job-1/')).toEqual({
      queryId: 'q1',
      statement: "UNLOAD (\nSELECT 1\n) TO 's3://results/results/acme/job-1/'",
      submittedAt: new Date(1_000_000),
      endedAt: new Date(1_003_000),
      bytesScanned: 12_345,
      queueMs: 0,
      planningMs: 300,
      engineMs: 900,
    })
    expect(await inspection.findQuery('/job-2/')).toBeUndefined()
  })

  it.each([[['Query Plan', 'Fragment 0']], [['Fragment 0']]])('shows the lines of its plan: %j', async (lines) => {
    const Rows = lines.map((VarCharValue) => ({ Data: [{ VarCharValue }] }))
    await using stub = await startHttpStub(() => ({ status: 200, body: JSON.stringify({ ResultSet: { Rows } }) }))
    const inspection = createAthenaInspection('rates', new AthenaClient(sdkSettings(stub.url)))
    expect(await inspection.readPlan('q1')).toEqual(['Fragment 0'])
  })
})

describe('the page of measurements', () => {
  const query = {
    queryId: 'q1',
    statement: '',
    submittedAt: new Date('2026-11-26T10:00:00Z'),
    endedAt: new Date('2026-11-26T10:00:03Z'),
    bytesScanned: 20_000_000,
    queueMs: 10,
    planningMs: 300,
    engineMs: 900,
  }
  const small = { ...query, bytesScanned: 1 }
  const page = writeMeasuredPage({
    stage: 'dev',
    region: 'eu-west-1',
    bucket: 'rates-bucket',
    plan: 'Blue Harbor Health / Harbor PPO Gold',
    files: 2,
    at: new Date('2026-11-26T10:00:05Z'),
    searches: [
      { label: 'one provider', rows: 12, query, plan: ['Fragment 0', '  Output'] },
      { label: 'one code', rows: 3, query: small, plan: ['unknown: denied'] },
    ],
  })

  it('shows a row for each search, priced as Athena bills', () => {
    expect(page).toContain('\n| one provider | 12 | 20.00 | 100 | 10 | 300 | 900 |\n')
    expect(page).toContain('\n| one code | 3 | 0.00 | 50 | 10 | 300 | 900 |\n')
  })

  it('shows the plan of each search, and the commands that count its requests within its time', () => {
    expect(page).toContain('### one provider\n\n```text\nFragment 0\n  Output\n```\n')
    expect(page).toContain('--start-time 2026-11-26T10:00:00.000Z --end-time 2026-11-26T10:00:03.000Z')
    expect(page).toContain("element_at(requestParameters, 'bucketName') = 'rates-bucket'")
    expect(page).toContain("BETWEEN TIMESTAMP '2026-11-26 10:00:00.000' AND TIMESTAMP '2026-11-26 10:00:03.000'")
  })
})
