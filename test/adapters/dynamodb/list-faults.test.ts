import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoListFaults } from '../../../adapters/dynamodb/dynamo-list-faults.ts'
import type { ListFaults } from '../../../core/search/ports.ts'
import { addSeconds } from '../../../core/time.ts'
import { listFaultItem } from '../../../schema/tables.ts'
import { createMemoryListFaults } from '../../doubles/memory-files.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const noon = new Date('2026-11-28T12:00:00.123Z')

/** Opens the adapter, or its double in tests of the core, as if lists had always worked. */
const stores: Readonly<Record<string, () => Promise<ListFaults>>> = {
  DynamoDB: async () => {
    const dynamo = connectDynamo()
    await dynamo.send(new DeleteCommand({ TableName: tables.jobs, Key: listFaultItem }))
    return createDynamoListFaults(dynamo, tables.jobs)
  },
  memory: async () => createMemoryListFaults(),
}

describe.each(Object.entries(stores))('the faults of lists in %s', (_, open) => {
  it('can be read once one is noted', async () => {
    const listFaults = await open()
    expect(await listFaults.read()).toBeUndefined()
    expect(await listFaults.note(noon, addSeconds(noon, -60))).toBe('written')
    expect(await listFaults.read()).toEqual(noon)
  })

  it('stay as they are while the noted one is young, and are replaced when it is old', async () => {
    const listFaults = await open()
    await listFaults.note(noon, addSeconds(noon, -60))
    const [soon, later] = [addSeconds(noon, 59), addSeconds(noon, 60)]
    expect(await listFaults.note(soon, addSeconds(soon, -60))).toBe('superseded')
    expect(await listFaults.read()).toEqual(noon)
    expect(await listFaults.note(later, addSeconds(later, -60))).toBe('written')
    expect(await listFaults.read()).toEqual(later)
  })

  it('stay those of one search if many note them at the same time', async () => {
    const listFaults = await open()
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_unused, index) =>
        listFaults.note(addSeconds(noon, index / 1000), addSeconds(noon, -60)),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
  })
})
