import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoSpecialties } from '../../../../adapters/dynamodb/vocabulary/dynamo-specialties.ts'
import { createMemorySpecialties } from '../../../doubles/vocabulary/memory-specialties.ts'
import { makeTables } from '../../../endpoints/make-tables.ts'

const { Contents = '' } = await makeTables('specialties')

const stores = {
  DynamoDB: createDynamoSpecialties(connectDynamo(), Contents),
  memory: createMemorySpecialties(),
}

const newSpecialty = (code: string) => ({ code, name: `Name of ${code}`, grouping: 'Made up' })

describe.each(Object.entries(stores))('the store of specialties in %s', (_, store) => {
  it('reads what was written last, by code, and nothing before', async () => {
    expect(await store.readSpecialties()).toEqual([])
    await store.writeSpecialties([newSpecialty('2'), newSpecialty('1')])
    expect(await store.readSpecialties()).toEqual([newSpecialty('1'), newSpecialty('2')])
    const thousands = Array.from({ length: 5000 }, (__, index) => newSpecialty(String(1e9 + index)))
    await store.writeSpecialties(thousands)
    expect(await store.readSpecialties()).toEqual(thousands)
    await store.writeSpecialties([])
    expect(await store.readSpecialties()).toEqual([])
  })
})
