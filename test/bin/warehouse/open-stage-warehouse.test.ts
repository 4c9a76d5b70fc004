import { describe, expect, it } from 'vitest'
import { refuseOwnRelation } from '../../../bin/warehouse/open-stage-warehouse.ts'
import { listStages, requireStage } from '../../../lib/stage/stage-files.ts'
import type { WarehouseDescription } from '../../../lib/stage/warehouse-description.ts'

/** A warehouse that an emulator's stage may have: the local Athena reads a folder, so there are no locations. */
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
  ])('refuses a load with one line that names %s', (field, facts) => {
    const message = `the stage own reads a warehouse of your own (${field} in its stage file): load into that by its own means`
    expect(refused(facts)).toThrow(message)
  })
})

describe('any other stage', () => {
  it.each(listStages())('%s is loaded into', (name) => {
    expect(() => refuseOwnRelation(requireStage(name))).not.toThrow()
  })

  it('gets its catalogue from loads', () => {
    expect(refused({ feeSchedules: 'loads' })).not.toThrow()
  })
})
