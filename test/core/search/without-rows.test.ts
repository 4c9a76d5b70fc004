import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { searchedBillingCode } from '../../../core/search/billing-code.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { findWithoutRows, listWithoutRows, type ReadColumn } from '../../../core/search/without-rows.ts'

interface Row {
  readonly npi: number
  readonly tin_value: string
  readonly billing_code: string
  readonly billing_code_type: string | null
}

const feeSchedules = [{ payer: 'Acme Health', plan: 'PPO' }]

/** The values of a request without rows, by the columns of its result; undefined if not known. */
async function find(request: Omit<SearchRequest, 'feeSchedules'>, rows: readonly Row[], hidden?: keyof Row) {
  const read: ReadColumn = async (column) =>
    column === hidden ? undefined : new Set(rows.flatMap((row) => (row[column] === null ? [] : [String(row[column])])))
  const asked = { ...request, feeSchedules }
  const bits = await findWithoutRows(asked, read)
  return bits && listWithoutRows(asked, bits)
}

const row = (facts: Partial<Row> = {}): Row => ({
  npi: 1003000126,
  tin_value: '123456789',
  billing_code: '99213',
  billing_code_type: 'CPT',
  ...facts,
})

/** The values that the statement of a search compares a row with. */
const isFoundBy = ({ billing_code: code, billing_code_type: type }: Row, asked: string) =>
  code === asked || (type !== null && code === searchedBillingCode(type, asked))

describe('the values of a request that no row has', () => {
  it('equal those that are absent from the column of their list, in order', async () => {
    const rows = [row(), row({ npi: 0, billing_code: '27447' })]
    expect(await find({ npis: [0, 1003000100, 1003000126, 1003000200] }, rows)).toEqual({
      npis: [1003000100, 1003000200],
    })
    expect(await find({ tins: ['12', '123456789'], billingCodes: ['27447', '99213'] }, rows)).toEqual({
      tins: ['12'],
      billingCodes: [],
    })
  })

  it('include all of them if the result is empty', async () => {
    const request = { npis: [0, 1003000126], tins: ['12'], billingCodes: ['1', '99213'] }
    expect(await find(request, [])).toEqual(request)
  })

  it('do not include a code that was found in the form of its type', async () => {
    const rows = [row({ billing_code: '0470', billing_code_type: 'RC' })]
    expect(await find({ billingCodes: ['471', '470'] }, rows)).toEqual({ billingCodes: ['471'] })
  })

  it('include a code whose other form has only rows of a type without that form', async () => {
    const rows = [row({ billing_code: '0470', billing_code_type: 'CPT' })]
    expect(await find({ billingCodes: ['0470', '470'] }, rows)).toEqual({ billingCodes: ['470'] })
  })

  it('stay unknown if two codes could have led to the same rows', async () => {
    const rows = [row({ billing_code: '0470', billing_code_type: 'RC' }), row({ billing_code: '0470' })]
    expect(await find({ billingCodes: ['0470', '470'] }, rows)).toBeUndefined()
  })

  it('stay unknown if a column is unknown, or has a value that was not asked for', async () => {
    expect(await find({ npis: [1003000126] }, [row()], 'npi')).toBeUndefined()
    expect(await find({ billingCodes: ['470'] }, [row({ billing_code: '0470' })], 'billing_code_type')).toBeUndefined()
    expect(await find({ npis: [1003000126] }, [row({ npi: 1003000134 }), row()])).toBeUndefined()
    expect(await find({ tins: ['12'] }, [row({ tin_value: '12 ' })])).toBeUndefined()
    expect(await find({ billingCodes: ['99213'] }, [row({ billing_code: '99213 ' })])).toBeUndefined()
  })

  it('come out exact or unknown for any rows', async () => {
    const codes = ['1', '01', '001', '0001', '470', '0470', '81.54', '8154', '1234-5678-90', '01234567890', '99213']
    const lists = fc.subarray(codes, { minLength: 1 })
    const anyRow = fc.record({
      npi: fc.constant(0),
      tin_value: fc.constant('12'),
      billing_code: fc.constantFrom(...codes),
      billing_code_type: fc.constantFrom('CPT', 'RC', 'MS-DRG', 'ICD', 'NDC', null),
    })
    let known = 0
    await fc.assert(
      fc.asyncProperty(lists, fc.array(anyRow, { maxLength: 6 }), async (billingCodes, relation) => {
        const rows = relation.filter((each) => billingCodes.some((code) => isFoundBy(each, code)))
        const found = await find({ billingCodes }, rows)
        if (found === undefined) return
        known += 1
        const without = billingCodes.filter((code) => !rows.some((each) => isFoundBy(each, code)))
        expect(found).toEqual({ billingCodes: without })
      }),
      { numRuns: 5000 },
    )
    expect(known).toBeGreaterThan(1000)
  })
})
