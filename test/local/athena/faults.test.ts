import { InvalidRequestException } from '@aws-sdk/client-athena'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAthena, type TestAthena, unloadOf } from './test-athena.ts'
import { loadSource } from './warehouse-fixture.ts'

let athena: TestAthena

beforeAll(async () => {
  athena = await openAthena()
  await loadSource(athena.warehouseFolder, { sourceId: 's1' })
})

afterAll(() => athena.close())

describe('a malformed statement', () => {
  it('is refused immediately', async () => {
    const refused = await athena.start('SELECT FROM rates').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InvalidRequestException)
    expect(refused).toMatchObject({
      AthenaErrorCode: 'MALFORMED_QUERY',
      message: "line 1:8: mismatched input 'from'. Expecting: a name",
    })
  })
})

describe('a statement with unknown names or wrong types', () => {
  it.each([
    ['SELECT npi FROM fees', "TABLE_NOT_FOUND: line 1:17: Table 'fees' does not exist"],
    ['SELECT npis FROM rates', "COLUMN_NOT_FOUND: line 1:8: Column 'npis' cannot be resolved"],
    ['SELECT npi FROM rates WHERE npis = 1', "COLUMN_NOT_FOUND: line 1:29: Column 'npis' cannot be resolved"],
    ['SELECT npi FROM rates ORDER BY npis', "COLUMN_NOT_FOUND: line 1:32: Column 'npis' cannot be resolved"],
    ["SELECT npi FROM rates WHERE npi = '1'", 'TYPE_MISMATCH: line 1:33: Cannot apply operator: bigint = varchar(1)'],
    [
      'SELECT npi FROM rates WHERE billing_code = 99213',
      'TYPE_MISMATCH: line 1:42: Cannot apply operator: varchar = integer',
    ],
    ["SELECT npi FROM rates WHERE expiration_date = '2025-12-31'", 'Cannot apply operator: date = varchar(10)'],
    ["SELECT npi FROM rates WHERE billing_code IN ('1', 99213)", 'TYPE_MISMATCH: line 1:51: '],
    ["SELECT npi FROM rates WHERE plan = 'a' OR (plan = 'b' AND npi = '1')", 'TYPE_MISMATCH'],
    ['SELECT CAST(service_code AS varchar) AS codes FROM rates', 'Cannot cast array(varchar) to varchar'],
    ['SELECT CAST(expiration_date AS bigint) AS days FROM rates', 'Cannot cast date to bigint'],
    ["SELECT npi FROM rates WHERE expiration_date = DATE '2025-02-30'", 'INVALID_LITERAL'],
    ['SELECT CAST(payer AS bigint) AS payer FROM rates', 'INVALID_CAST_ARGUMENT'],
    [unloadOf('SELECT CAST(npi AS bigint) FROM rates'), 'Column name not specified at position 1'],
    [unloadOf('SELECT npi, npi FROM rates'), "Column name 'npi' specified more than once"],
    [unloadOf('SELECT NULL AS nothing FROM rates'), 'COLUMN_TYPE_UNKNOWN'],
  ])('starts and fails as a user error: %s', async (statement, reason) => {
    const { Status } = await athena.run(statement)
    expect(Status?.State).toBe('FAILED')
    expect(Status?.StateChangeReason).toContain(reason)
    expect(Status?.AthenaError).toMatchObject({ ErrorCategory: 2, ErrorType: 1000, Retryable: false })
    expect(Status?.AthenaError?.ErrorMessage).toBe(Status?.StateChangeReason)
  })

  it('does not fail for comparing a type with its own literals or NULL', async () => {
    const conditions = [
      'npi IN (1, 5000000000, NULL)',
      "billing_code = '1'",
      'negotiated_rate = 2',
      "expiration_date = DATE '9999-12-31'",
      'provider_group_npi_count = 3',
      'setting = NULL',
    ]
    const { Status } = await athena.run(`SELECT npi FROM rates WHERE ${conditions.join(' AND ')}`)
    expect(Status?.State).toBe('SUCCEEDED')
  })
})
