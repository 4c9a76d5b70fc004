import { GlueClient } from '@aws-sdk/client-glue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGluePartitions } from '../../../adapters/athena/glue-partitions.ts'
import { contentTable, sourceTables } from '../../../schema/columns/warehouse-tables.ts'
import { type Answer, type Call, type HttpStub, refuse, startHttpStub } from '../../doubles/http-stub.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'

const [rates = contentTable] = sourceTables
const location = 's3://rates/warehouse/negotiated_rates/'
const allColumns = rates.columns.map(({ name }) => ({ Name: name, Type: 'string' }))
const waits: number[] = []
let columns = allColumns
let foundAt = location
let glue: HttpStub
let answer: (call: Call) => Answer

beforeEach(async () => {
  waits.length = 0
  columns = allColumns
  foundAt = location
  answer = () => ({ status: 200, body: '{}' })
  glue = await startHttpStub((call) =>
    call.operation === 'GetTable'
      ? {
          status: 200,
          body: JSON.stringify({ Table: { StorageDescriptor: { Location: foundAt, Columns: columns } } }),
        }
      : answer(call),
  )
})

afterEach(() => glue[Symbol.asyncDispose]())

function openPartitions() {
  const client = new GlueClient(sdkSettings(glue.url))
  return createGluePartitions('rates', client, async (milliseconds) => void waits.push(milliseconds))
}

const values = (count: number) => Array.from({ length: count }, (_, index) => ['load', `s${index}`])
const callsOf = (operation: string) =>
  glue.calls.filter((call) => call.operation === operation).map(({ body }) => JSON.parse(body))

/** Partitions that Glue does not change, as it reports in a successful response. */
const refusing = (ErrorCode: string, sourceId = 's1'): Answer => ({
  status: 200,
  body: JSON.stringify({
    Errors: [{ PartitionValues: ['load', sourceId], ErrorDetail: { ErrorCode, ErrorMessage: 'reason' } }],
  }),
})

describe('registering partitions', () => {
  it('sends a hundred per call, each with its table’s formats and a location below the table’s', async () => {
    await openPartitions().add(rates, values(250))
    const calls = callsOf('BatchCreatePartition')
    expect(calls.map(({ PartitionInputList }) => PartitionInputList.length)).toEqual([100, 100, 50])
    expect(calls[0]).toMatchObject({ DatabaseName: 'rates', TableName: 'negotiated_rates' })
    expect(calls[2].PartitionInputList[49]).toEqual({
      Values: ['load', 's249'],
      StorageDescriptor: { Columns: allColumns, Location: `${location}load_id=load/source_id=s249/` },
    })
  })

  it('refuses a table that lacks columns of the files, because its stage was not deployed since', async () => {
    columns = allColumns.slice(0, -1)
    await expect(openPartitions().add(rates, values(1))).rejects.toMatchObject({
      name: 'TableOutdated',
      message:
        'the table negotiated_rates has no column price_ordinal: deploy the stage with this version, then load again',
    })
    columns = []
    await expect(openPartitions().add(rates, values(1))).rejects.toThrow(
      `has no column ${allColumns.map(({ Name }) => Name).join(', ')}: deploy`,
    )
    expect(callsOf('BatchCreatePartition')).toEqual([])
  })

  it('reads the table in the warehouse’s database', async () => {
    await openPartitions().add(rates, values(1))
    expect(callsOf('GetTable')).toEqual([{ DatabaseName: 'rates', Name: 'negotiated_rates' }])
  })

  it.each(['s3://rates/warehouse/', 's3://rates/warehouse/negotiated_rates', 's3://rates/my_negotiated_rates/'])(
    'refuses a table at %s, because its partitions would be elsewhere',
    async (elsewhere) => {
      foundAt = elsewhere
      const fault = `the table negotiated_rates is at ${elsewhere}, not in a folder of its name`
      await expect(openPartitions().add(rates, values(1))).rejects.toThrow(fault)
      expect(callsOf('BatchCreatePartition')).toEqual([])
    },
  )

  it('is a no-op for a partition that exists', async () => {
    answer = () => refusing('AlreadyExistsException')
    await openPartitions().add(rates, values(3))
    expect(callsOf('BatchCreatePartition')).toHaveLength(1)
  })

  it('retries only what Glue refused', async () => {
    let calls = 0
    answer = () => (calls++ === 0 ? refusing('InternalServiceException') : { status: 200, body: '{}' })
    await openPartitions().add(rates, values(3))
    const [, again] = callsOf('BatchCreatePartition')
    expect(again.PartitionInputList.map(({ Values }: { Values: string[] }) => Values)).toEqual([['load', 's1']])
    expect(waits).toEqual([100])
  })

  it('names a partition also if Glue gives no reason', async () => {
    answer = () => ({ status: 200, body: JSON.stringify({ Errors: [{ PartitionValues: ['load', 's1'] }] }) })
    await expect(openPartitions().add(rates, values(3))).rejects.toThrow(
      /^Glue did not change the partition load\/s1 of negotiated_rates: unknown error$/,
    )
    expect(waits).toEqual([100, 400, 1_600, 6_400])
  })

  it('gives up with an error that names the partition and Glue’s reason', async () => {
    answer = () => refusing('InternalServiceException')
    await expect(openPartitions().add(rates, values(3))).rejects.toMatchObject({
      name: 'PartitionsNotChanged',
      message: expect.stringContaining('load/s1 of negotiated_rates: InternalServiceException reason'),
    })
  })

  it('fails if a call fails', async () => {
    answer = () => refuse(400, 'AccessDeniedException')
    await expect(openPartitions().add(rates, values(1))).rejects.toMatchObject({ name: 'AccessDeniedException' })
  })
})

describe('unregistering partitions', () => {
  it('sends twenty-five per call, and is a no-op for one that does not exist', async () => {
    answer = () => refusing('EntityNotFoundException')
    await openPartitions().drop(rates, values(60))
    const calls = callsOf('BatchDeletePartition')
    expect(calls.map(({ PartitionsToDelete }) => PartitionsToDelete.length)).toEqual([25, 25, 10])
    expect(calls[0].PartitionsToDelete[0]).toEqual({ Values: ['load', 's0'] })
  })
})
