import { describe, expect, it } from 'vitest'
import { refuseOwnRelation } from '../../bin/warehouse.ts'
import { stages } from '../../lib/stage.ts'
import type { WarehouseDescription } from '../../lib/warehouse-description.ts'

/** A warehouse as an emulator's stage may describe it: the local Athena reads a folder, so there are no locations. */
const described: WarehouseDescription = {
  workGroup: 'own',
  database: 'own_rates',
  queryResults: 's3://own-query-results/',
  dataLocations: [],
}

const refused = (facts: Partial<WarehouseDescription>) => () =>
  refuseOwnRelation({ name: 'own', warehouse: { ...described, ...facts } })

describe("a stage over an operator's own relation", () => {
  it.each<[string, Partial<WarehouseDescription>]>([
    ['columns', { columns: ['payer', 'plan'] }],
    ["feeSchedules: 'relation'", { feeSchedules: 'relation' }],
    ['dataLocations', { dataLocations: ['s3://own-rates/'] }],
    ["columns, feeSchedules: 'relation'", { columns: ['payer'], feeSchedules: 'relation' }],
  ])('refuses a load in one line that names %s', (field, facts) => {
    const message = `the stage own reads your own warehouse (${field} in lib/stage.ts): load data with that warehouse's own tools`
    expect(refused(facts)).toThrow(message)
  })
})

describe('any other stage', () => {
  it.each(Object.values(stages))('($name) accepts a load', (stage) => {
    expect(() => refuseOwnRelation(stage)).not.toThrow()
  })

  it("accepts a load if feeSchedules is 'loads'", () => {
    expect(refused({ feeSchedules: 'loads' })).not.toThrow()
  })
})
