import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoForcedRefreshes } from '../../../adapters/dynamodb/dynamo-forced-refreshes.ts'
import { addSeconds } from '../../../core/job/timestamp.ts'
import { forcedRefreshItem } from '../../../schema/tables.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const dynamo = connectDynamo()
const refreshes = createDynamoForcedRefreshes(dynamo, tables.jobs)
const noon = new Date('2026-11-20T12:00:00.123Z')
const claim = (at: Date) => refreshes.claim(at, addSeconds(at, -60))

beforeEach(async () => {
  await dynamo.send(new DeleteCommand({ TableName: tables.jobs, Key: forcedRefreshItem }))
})

describe('the right to force a refresh', () => {
  it('is granted once a minute', async () => {
    expect(await claim(noon)).toBe('written')
    expect(await claim(noon)).toBe('superseded')
    expect(await claim(addSeconds(noon, 59.999))).toBe('superseded')
    expect(await claim(addSeconds(noon, 60))).toBe('written')
    expect(await claim(addSeconds(noon, 61))).toBe('superseded')
  })

  it('is granted to only one of several concurrent claims', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => claim(addSeconds(noon, index))))
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
  })
})
