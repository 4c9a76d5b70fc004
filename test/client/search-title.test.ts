import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../client/api.ts'
import { joinTitle, listPayers, long, nameFiles, titleRequest, titleSearch } from '../../client/search-title.ts'
import { listFilters } from '../../core/search/filter-words.ts'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'

const openAccess = { payer: 'Summit Ridge', plan: 'Open Access HMO' }
const choicePlus = { payer: 'Summit Ridge', plan: 'Choice Plus PPO' }

const titleOf = (
  request: Omit<SearchRequest, 'fee_schedules'>,
  fee_schedules: SearchRequest['fee_schedules'] = [openAccess],
) => joinTitle(titleRequest({ ...request, fee_schedules }))

describe('the title of a search', () => {
  it('names its codes and plans, and counts those after the first', () => {
    expect(titleOf({ billing_codes: ['73721', '99213'] }, [openAccess, choicePlus])).toBe(
      '73721, 99213 · Open Access HMO + 1',
    )
    expect(titleOf({ billing_codes: ['27447', '45378', '70551', '73721'] })).toBe('27447, 45378 + 2 · Open Access HMO')
  })

  it('says that it is a summary', () => {
    expect(titleOf({ billing_codes: ['73721'], summary: {} })).toBe('Summary · 73721 · Open Access HMO')
  })

  it('names providers with the words for their ids, and the day', () => {
    expect(titleOf({ npis: [1003000126, 1234567893, 0] })).toBe('NPI 1003000126, 1234567893 + 1 · Open Access HMO')
    expect(titleOf({ tins: ['012345678'], as_of: '2026-10-31' })).toBe(
      'TIN 012345678 · Open Access HMO · as of 2026-10-31',
    )
    const providers = { states: ['OR'], zips: ['97205'], taxonomies: ['207R00000X'] }
    expect(titleOf({ billing_codes: ['73721'], providers })).toBe(
      '73721 · OR · ZIP 97205 · specialty 207R00000X · Open Access HMO',
    )
  })

  it('names all that a list has if there is room, and counts what the list does not have', () => {
    const search = {
      fee_schedule_count: 5,
      first_fee_schedule: openAccess,
      next_fee_schedules: [choicePlus, { plan_id: '041234567' }],
      filters: [{ name: 'billing_codes', count: 7, first: ['27447', '70551', '73721'] }],
    }
    expect(titleSearch(search, long)).toEqual([
      '27447, 70551, 73721 + 4',
      'Open Access HMO',
      'Choice Plus PPO',
      'plans of id 041234567 + 2',
    ])
    expect(titleSearch(search)).toEqual(['27447, 70551 + 5', 'Open Access HMO + 4'])
  })

  it('names all plans of an id', () => {
    expect(titleOf({ billing_codes: ['73721'] }, [{ plan_id: '041234567' }])).toBe('73721 · plans of id 041234567')
  })

  it('names only the plan and the day of a search that was listed without its filters', () => {
    expect(titleSearch({ fee_schedule_count: 2, first_fee_schedule: openAccess })).toEqual(['Open Access HMO + 1'])
  })

  it('equals the title by the request in a list', () => {
    const list = <Value>(value: fc.Arbitrary<Value>) => fc.uniqueArray(value, { minLength: 1, maxLength: 5 })
    const digits = (length: number) =>
      fc.integer({ min: 0, max: 10 ** length - 1 }).map((value) => String(value).padStart(length, '0'))
    const requests = fc.record(
      {
        billing_codes: list(digits(5)),
        npis: list(fc.integer({ min: 1_000_000_000, max: 9_999_999_999 })),
        tins: list(digits(9)),
        providers: fc.record(
          { states: list(fc.constantFrom('OR', 'TX', 'WA', 'CA')), zips: list(digits(5)) },
          { requiredKeys: ['states'] },
        ),
      },
      { requiredKeys: ['billing_codes'] },
    )
    fc.assert(
      fc.property(requests, (asked) => {
        const request = parseSearchRequest({ ...asked, fee_schedules: [openAccess, choicePlus] })
        const [first, ...next] = request.feeSchedules
        if (first === undefined) throw new TypeError('a request names a fee schedule')
        const { billingCodes, npis, tins, providers } = request
        const body = {
          ...(billingCodes && { billing_codes: [...billingCodes] }),
          ...(npis && { npis: [...npis] }),
          ...(tins && { tins: [...tins] }),
          ...(providers && { providers: JSON.parse(JSON.stringify(providers)) }),
          fee_schedules: [...request.feeSchedules],
        }
        const listItem = {
          fee_schedule_count: 2,
          first_fee_schedule: first,
          next_fee_schedules: next,
          filters: listFilters(request),
        }
        expect(titleSearch(listItem)).toEqual(titleRequest(body))
      }),
    )
  })
})

describe('the payers of a search in a list', () => {
  const blueHarbor = { payer: 'Blue Harbor', plan: 'Choice' }

  it('names each payer of a search in a list once', () => {
    const search = {
      fee_schedule_count: 3,
      first_fee_schedule: openAccess,
      next_fee_schedules: [choicePlus, blueHarbor],
    }
    expect(listPayers(search)).toEqual({ payers: ['Summit Ridge', 'Blue Harbor'], unlisted: 0 })
  })

  it('counts the plans whose payers the list does not have', () => {
    expect(listPayers({ fee_schedule_count: 2, first_fee_schedule: openAccess })).toEqual({
      payers: ['Summit Ridge'],
      unlisted: 1,
    })
    expect(listPayers({ fee_schedule_count: 1, first_fee_schedule: { plan_id: '041234567' } }).payers).toEqual([])
  })
})

describe('the name of a saved file', () => {
  it('consists of the letters and digits of the title', () => {
    expect(nameFiles(['73721, 99213', 'Open Access HMO + 1'])).toBe('73721-99213-open-access-hmo-1')
    expect(nameFiles(['99213', '100% Größe / خطة'])).toBe('99213-100-größe-خطة')
  })

  it('stays short, and is never empty or a path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (plan) => {
        const name = nameFiles([plan])
        expect([...name].length).toBeLessThanOrEqual(60)
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}]+(-[\p{L}\p{M}\p{N}]+)*$/u)
      }),
    )
  })
})
