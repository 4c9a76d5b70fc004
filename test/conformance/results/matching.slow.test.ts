import { describe, expect, it } from 'vitest'
import type { SearchRequestBody } from '../../../contract/search-api.ts'
import { completeSearch } from '../client.ts'
import { absentNpi, choice, dental, findSampleRows, gold, silver } from '../samples.ts'
import { describeRows, readResult } from '../shards.ts'

async function find(request: SearchRequestBody): Promise<readonly string[]> {
  return readResult(await completeSearch(request))
}

/** The rows of the samples; throws if there are none. */
function rowsOf(filter: Parameters<typeof findSampleRows>[0]): readonly string[] {
  const rows = describeRows(findSampleRows(filter))
  if (rows.length === 0) throw new Error('the samples have no such row, so the comparison would be empty')
  return rows
}

describe('billing codes', () => {
  it.each<[string, string[], string]>([
    ['a revenue code without its leading zero', ['450'], '0450'],
    ['a revenue code without its leading zero in the files', ['0200'], '0200'],
    ['an MS-DRG of two digits', ['39'], '039'],
    ['a code in lower case, surrounded by spaces', [' a0429\u00a0'], 'A0429'],
  ])('match %s', async (_, billing_codes, canonical) => {
    const rows = await find({ billing_codes, fee_schedules: [gold, choice] })
    expect(rows).toEqual(rowsOf({ codes: [canonical], plans: [gold, choice] }))
  })

  it('match only whole codes', async () => {
    expect(await find({ billing_codes: ['9921', '992130', '99%', '045'], fee_schedules: [gold] })).toEqual([])
  })

  it('find every item of a code, both the service and the bundle', async () => {
    const rows = await find({ billing_codes: ['470'], fee_schedules: [choice] })
    expect(rows).toEqual(rowsOf({ codes: ['470'], plans: [choice] }))
    expect(rows.filter((row) => row.includes('Knee replacement, all included')).length).toBeGreaterThan(0)
  })

  it('find the rates for everything else (CSTM-00) only if CSTM-00 is requested', async () => {
    const [without, withWildcard] = await Promise.all([
      find({ billing_codes: ['99213'], fee_schedules: [gold] }),
      find({ billing_codes: ['99213', 'cstm-00'], fee_schedules: [gold] }),
    ])
    expect(without).toEqual(rowsOf({ codes: ['99213'], plans: [gold] }))
    expect(without.join()).not.toContain('CSTM-ALL')
    expect(withWildcard).toEqual(rowsOf({ codes: ['99213', 'CSTM-00'], plans: [gold] }))
    expect(withWildcard.length).toBeGreaterThan(without.length)
  })
})

describe('NPIs', () => {
  it('find all their codes in every requested fee schedule, if no codes are requested', async () => {
    const npis = [1000100002, 1000103675]
    const rows = await find({ npis, fee_schedules: [gold, choice] })
    expect(rows).toEqual(rowsOf({ npis, plans: [gold, choice] }))
  })

  it('may be left out, so that codes find every provider', async () => {
    const rows = await find({ billing_codes: ['D1110', 'D0120'], fee_schedules: [dental] })
    expect(rows).toEqual(rowsOf({ codes: ['D1110', 'D0120'], plans: [dental] }))
  })

  it('find only the rates agreed for a whole TIN if they are 0', async () => {
    const rows = await find({ npis: [0], fee_schedules: [gold, choice] })
    expect(rows).toEqual(rowsOf({ npis: [0], plans: [choice] }))
  })

  it('find the rates of a whole TIN only if 0 is among them', async () => {
    const billing_codes = ['0450']
    const [without, withZero] = await Promise.all([
      find({ npis: [1000103675], billing_codes, fee_schedules: [choice] }),
      find({ npis: [0, 1000103675], billing_codes, fee_schedules: [choice] }),
    ])
    expect(without).toEqual(rowsOf({ npis: [1000103675], codes: ['0450'], plans: [choice] }))
    expect(withZero).toEqual(rowsOf({ npis: [0, 1000103675], codes: ['0450'], plans: [choice] }))
  })

  it('must match in addition to codes', async () => {
    const npis = [1000100002, absentNpi]
    const rows = await find({ npis, billing_codes: ['27447', '450'], fee_schedules: [gold] })
    expect(rows).toEqual(rowsOf({ npis, codes: ['27447', '0450'], plans: [gold] }))
  })
})

describe('TINs', () => {
  const wholeTins = findSampleRows({ npis: [0], plans: [choice] }).map((row) => String(row['tin_value']))
  const [wholeTin = ''] = wholeTins
  const [otherTin = ''] = findSampleRows({ plans: [choice] })
    .map((row) => String(row['tin_value']))
    .filter((tin) => !wholeTins.includes(tin))

  it('find the rates of all their NPIs, and those agreed for the whole TIN, if no NPIs are requested', async () => {
    const rows = await find({ tins: [wholeTin, otherTin], fee_schedules: [gold, choice] })
    expect(rows).toEqual(rowsOf({ tins: [wholeTin, otherTin], plans: [gold, choice] }))
    expect(rows).toEqual(expect.arrayContaining([...rowsOf({ tins: [wholeTin], npis: [0], plans: [choice] })]))
  })

  it('match with hyphens and without, and without the leading zeros of an EIN', async () => {
    const hyphenated = `${wholeTin.slice(0, 2)}-${wholeTin.slice(2)}`
    const rows = await find({ tins: [hyphenated, wholeTin], fee_schedules: [choice] })
    expect(rows).toEqual(rowsOf({ tins: [wholeTin], plans: [choice] }))
    expect(wholeTin).toMatch(/^0/)
    expect(await find({ tins: [wholeTin.slice(1)], fee_schedules: [choice] })).toEqual(rows)
  })

  it('must match in addition to NPIs, so that rates of a whole TIN are found only with 0 among them', async () => {
    const npis = [1000103675]
    const tins = [
      ...new Set(findSampleRows({ npis, plans: [choice] }).map((row) => String(row['tin_value']))),
      wholeTin,
    ]
    const [without, withZero] = await Promise.all([
      find({ tins, npis, fee_schedules: [choice] }),
      find({ tins, npis: [0, ...npis], fee_schedules: [choice] }),
    ])
    expect(without).toEqual(rowsOf({ tins, npis, plans: [choice] }))
    expect(withZero).toEqual(rowsOf({ tins, npis: [0, ...npis], plans: [choice] }))
    expect(withZero.length).toBeGreaterThan(without.length)
    expect(await find({ tins: [otherTin], npis: [0], fee_schedules: [choice] })).toEqual([])
  })

  it('must match in addition to codes', async () => {
    const rows = await find({ tins: [wholeTin], billing_codes: ['450'], fee_schedules: [choice] })
    expect(rows).toEqual(rowsOf({ tins: [wholeTin], codes: ['0450'], plans: [choice] }))
  })
})

describe('fee schedules', () => {
  const billing_codes = ['99213']

  it('restrict a search to the named ones', async () => {
    const [rowsOfOne, both] = await Promise.all([
      find({ billing_codes, fee_schedules: [silver] }),
      find({ billing_codes, fee_schedules: [silver, gold] }),
    ])
    expect(rowsOfOne).toEqual(rowsOf({ codes: billing_codes, plans: [silver] }))
    expect(both).toEqual(rowsOf({ codes: billing_codes, plans: [silver, gold] }))
  })

  it('match as pairs, so that two of them never match one payer with the plan of the other', async () => {
    const rows = await find({ npis: [1000100002, 1000106801], fee_schedules: [gold, dental] })
    expect(rows).toEqual(rowsOf({ npis: [1000100002, 1000106801], plans: [gold, dental] }))
  })
})

describe('a duplicate NPI, code or fee schedule', () => {
  it('does not duplicate rows, however it is written', async () => {
    const spaced = { payer: '  Blue  Harbor Health', plan: `${gold.plan}\u00a0` }
    const rows = await find({
      npis: [1000100002, 1000100002],
      billing_codes: ['99213', '99213', ' 99213'],
      fee_schedules: [gold, spaced, gold],
    })
    expect(rows).toEqual(rowsOf({ npis: [1000100002], codes: ['99213'], plans: [gold] }))
  })
})

describe('a search for every NPI of the samples', () => {
  it('finds every row', async () => {
    const plans = [gold, silver, choice, dental]
    const npis = [...new Set(findSampleRows({ plans }).map(({ npi }) => Number(npi)))]
    expect(await find({ npis, fee_schedules: plans })).toEqual(rowsOf({ plans }))
  })
})
