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

const oneQuery = 'the local Athena takes one SELECT or UNLOAD, which reads at least one relation'

describe('a malformed statement', () => {
  it.each([
    ['SELEC npi FROM rates', 'syntax error at or near "SELEC"'],
    ["SELECT npi FROM rates WHERE plan = 'Gold", 'unterminated quoted string'],
    ['SELECT npi FROM rates WHERE npi IN ()', 'syntax error at or near ")"'],
    ["SELECT npi FROM rates WHERE plan = 'Go\0ld'", 'unterminated quoted string'],
    ['DROP TABLE rates', 'Only SELECT statements'],
    ["COPY (SELECT npi FROM rates) TO '/tmp/npis'", 'Only SELECT statements'],
    ['SELECT npi FROM rates; DROP TABLE rates', 'Only SELECT statements'],
    ['SELECT npi FROM rates; SELECT plan FROM rates', oneQuery],
    ["SELECT * FROM read_text('/etc/hostname')", oneQuery],
    ['-- nothing', oneQuery],
    [unloadOf('SELECT npi FROM rates', '/tmp/'), 's3://bucket/prefix/'],
    [unloadOf('SELECT npi FROM rates', 's3://results/out'), 's3://bucket/prefix/'],
    [unloadOf('SELECT npi FROM rates', undefined, "compression = 'LZ9'"), "compression = 'LZ9'"],
    ["UNLOAD (SELECT npi FROM rates) TO 's3://b/' WITH (format = 'CSV')", "format = 'CSV'"],
    ["UNLOAD (SELECT npi FROM rates) TO 's3://b/'", 'syntax error at or near "UNLOAD"'],
  ])('fails immediately: %s', async (statement, message) => {
    const refused = await athena.start(statement).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InvalidRequestException)
    expect(refused).toMatchObject({
      AthenaErrorCode: 'MALFORMED_QUERY',
      message: expect.stringContaining(message),
    })
  })
})

describe('a statement that reaches for more than the warehouse', () => {
  it.each(['/etc/hostname', '../../../../../../etc/hostname'])('reads no other file: %s', async (path) => {
    const { Status } = await athena.run(`SELECT npi, (SELECT content FROM read_text('${path}')) AS text FROM rates`)
    expect(Status?.State).toBe('FAILED')
    expect(Status?.StateChangeReason).toContain('file system operations are disabled')
  })
})

describe('a statement with unknown names or wrong types', () => {
  it.each([
    ['SELECT npi FROM fees', "TABLE_NOT_FOUND: Table 'fees' does not exist"],
    ['SELECT npi FROM rates WHERE npi IN (SELECT npi FROM fees)', "TABLE_NOT_FOUND: Table 'fees' does not exist"],
    ['SELECT npi FROM rates, plans', "TABLE_NOT_FOUND: Table 'plans' does not exist"],
    ['SELECT npis FROM rates', 'COLUMN_NOT_FOUND: '],
    ['SELECT npi FROM rates WHERE npis = 1', 'COLUMN_NOT_FOUND: '],
    ['SELECT npi FROM rates ORDER BY npis', 'COLUMN_NOT_FOUND: '],
    ["SELECT npi FROM rates WHERE npi = '1'", 'TYPE_MISMATCH: Cannot compare npi (bigint) with varchar'],
    ['SELECT npi FROM rates WHERE billing_code = 99213', 'TYPE_MISMATCH: Cannot compare billing_code (varchar)'],
    ["SELECT npi FROM rates WHERE billing_code IN ('1', 99213)", 'TYPE_MISMATCH: '],
    ["SELECT npi FROM rates WHERE plan = 'a' OR (plan = 'b' AND npi = '1')", 'TYPE_MISMATCH: '],
    ['SELECT CAST(payer AS bigint) AS payer FROM rates', 'INVALID_CAST_ARGUMENT: '],
  ])('starts and fails as a user error: %s', async (statement, reason) => {
    const { Status } = await athena.run(statement)
    expect(Status?.State).toBe('FAILED')
    expect(Status?.StateChangeReason).toContain(reason)
    expect(Status?.AthenaError).toMatchObject({ ErrorCategory: 2, ErrorType: 1000, Retryable: false })
    expect(Status?.AthenaError?.ErrorMessage).toBe(Status?.StateChangeReason)
  })

  it('succeeds if it compares a type with its own literals or NULL', async () => {
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
