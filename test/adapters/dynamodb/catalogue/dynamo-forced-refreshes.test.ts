import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
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

describe.each(Object.entries(stores))('the use of forced refreshes in %s', (_, open) => {
  const useAt = (forcedAt: Date) => ({ forcedAt, refilledAt: addSeconds(forcedAt, 900) })

  it('can be read once it is written', async () => {
    const refreshes = await open()
    expect(await refreshes.read()).toBeUndefined()
    expect(await refreshes.write(useAt(noon), undefined)).toBe('written')
    expect(await refreshes.read()).toEqual(useAt(noon))
  })

  it('refuses a write that names an earlier use as the last one', async () => {
    const refreshes = await open()
    const [first, second, third] = [useAt(noon), useAt(addSeconds(noon, 60)), useAt(addSeconds(noon, 120))]
    expect(await refreshes.write(first, second)).toBe('superseded')
    expect(await refreshes.write(first, undefined)).toBe('written')
    expect(await refreshes.write(second, undefined)).toBe('superseded')
    expect(await refreshes.write(second, first)).toBe('written')
    expect(await refreshes.write(third, first)).toBe('superseded')
    expect(await refreshes.read()).toEqual(second)
  })

  it('accepts only one of several concurrent writes', async () => {
    const refreshes = await open()
    const uses = Array.from({ length: 8 }, (_, index) => useAt(addSeconds(noon, index)))
    const outcomes = await Promise.all(uses.map((use) => refreshes.write(use, undefined)))
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
  })
})

describe('the use of forced refreshes in DynamoDB', () => {
  it('counts only the last refresh of an item from version 0.2', async () => {
    const dynamo = connectDynamo()
    const item = { ...forcedRefreshItem, forced_at: noon.toISOString() }
    await dynamo.send(new PutCommand({ TableName: tables.jobs, Item: item }))
    expect(await createDynamoForcedRefreshes(dynamo, tables.jobs).read()).toEqual({ forcedAt: noon, refilledAt: noon })
  })
})
