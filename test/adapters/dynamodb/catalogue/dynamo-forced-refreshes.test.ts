import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDynamoForcedRefreshes } from '../../../../adapters/dynamodb/catalogue/dynamo-forced-refreshes.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import type { ForcedRefreshes } from '../../../../core/own-relation/ports.ts'
import { addSeconds } from '../../../../core/time.ts'
import { forcedRefreshItem } from '../../../../schema/tables.ts'
import { createMemoryForcedRefreshes } from '../../../doubles/memory-forced-refreshes.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const noon = new Date('2026-11-20T12:00:00.123Z')

/** Opens the adapter, or its double in tests of the core, as if no refresh had ever been forced. */
const stores: Readonly<Record<string, () => Promise<ForcedRefreshes>>> = {
  DynamoDB: async () => {
    const dynamo = connectDynamo()
    await dynamo.send(new DeleteCommand({ TableName: tables.jobs, Key: forcedRefreshItem }))
    return createDynamoForcedRefreshes(dynamo, tables.jobs)
  },
  memory: async () => createMemoryForcedRefreshes(),
}

describe.each(Object.entries(stores))('the right to force a refresh in %s', (_, open) => {
  const claimIn = (refreshes: ForcedRefreshes) => (at: Date) => refreshes.claim(at, addSeconds(at, -60))

  it('goes to one claim a minute', async () => {
    const claim = claimIn(await open())
    expect(await claim(noon)).toBe('written')
    expect(await claim(noon)).toBe('superseded')
    expect(await claim(addSeconds(noon, 59.999))).toBe('superseded')
    expect(await claim(addSeconds(noon, 60))).toBe('written')
    expect(await claim(addSeconds(noon, 61))).toBe('superseded')
  })

  it('goes to only one of several concurrent claims', async () => {
    const claim = claimIn(await open())
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => claim(addSeconds(noon, index))))
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
  })
})
