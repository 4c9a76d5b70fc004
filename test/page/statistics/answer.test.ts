import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sentence } from '../../../client/results/sentence.ts'
import { describeExpired } from '../../../page/highlights/price-shapes.ts'
import { answerCode } from '../../../page/statistics/answer-code.ts'
import { answerCodes } from '../../../page/statistics/answer-codes.ts'
import { type ComparablePrices, compareCodes, isDoubtfulRow } from '../../../page/statistics/comparable-prices.ts'
import { describeCompared } from '../../../page/statistics/compared-codes.ts'
import { at } from '../../../schema/at.ts'

let prices = 0

interface Facts {
  readonly payer: string
  readonly name: string | null
  readonly billing_code: string
  readonly billing_code_modifier: readonly string[] | null
  readonly rate_unit: string
  readonly billing_class: string | null
  readonly setting: string | null
  readonly service_code: readonly string[] | null
  readonly flags: readonly string[] | null
  readonly negotiation_arrangement: string
  readonly bundled_codes: readonly string[] | null
  readonly last_updated_on: Date | null
}

interface Row extends Facts, Readonly<Record<string, unknown>> {
  readonly plan: string
  readonly negotiated_rate: number
}

/** A row of a price of its own, with a TIN of its own. */
const row = (plan: string, rate: number, facts: Partial<Facts> = {}): Row => ({
  plan,
  billing_code_type: 'CPT',
  negotiated_rate: rate,
  negotiated_type: 'negotiated',
  npi: 1003000126n,
  price_id: `price-${++prices}`,
  tin_type: 'ein',
  tin_value: String(prices),
  payer: 'Acme',
  name: 'MRI of a leg joint',
  billing_code: '73721',
  billing_code_modifier: null,
  rate_unit: 'usd',
  billing_class: null,
  setting: null,
  service_code: null,
  flags: null,
  negotiation_arrangement: 'ffs',
  bundled_codes: null,
  last_updated_on: null,
  ...facts,
})

/** Rows of a plan with each amount up to a count, in steps. */
const rowsOf = (plan: string, count: number, step: number, facts: Partial<Facts> = {}) =>
  Array.from({ length: count }, (_, index) => row(plan, (index + 1) * step, facts))

const read = (sentence: Sentence | undefined) =>
  sentence
    ?.map(({ text }) => text)
    .join('')
    .replaceAll('\u00a0', ' ')

const answerFirst = (rows: readonly Row[]) => {
  const [first] = compareCodes(rows, 'tins')
  return first && read(answerCode(first))
}

const answerAll = (rows: readonly Row[]) => read(answerCodes(compareCodes(rows, 'tins')))

describe('the sentence about a code', () => {
  it('names the median and the middle half of one plan', () => {
    expect(answerFirst(rowsOf('Gold', 20, 10))).toBe(
      'Gold pays a median of $100.00 for MRI of a leg joint (CPT 73721); ' +
        'the middle half of its 20 prices is between $50.00 and $150.00.',
    )
  })

  it('calls prices few below eleven, and lists them below five', () => {
    expect(answerFirst(rowsOf('Gold', 10, 10))).toContain('of its few prices (10) is between $30.00 and $80.00.')
    expect(answerFirst(rowsOf('Gold', 11, 10))).toContain('of its 11 prices is between')
    expect(answerFirst(rowsOf('Gold', 5, 10))).toContain('a median of $30.00')
    const start = 'Gold pays $10.00, $20.00, $30.00 and $40.00 for MRI of a leg joint (CPT 73721)'
    expect(answerFirst(rowsOf('Gold', 4, 10))).toBe(`${start}: few prices (4).`)
    expect(answerFirst([row('Gold', 287)])).toBe(
      'Gold pays $287.00 for MRI of a leg joint (CPT 73721): its only price.',
    )
  })

  it('names the difference of two plans in percent of the lower one', () => {
    expect(answerFirst([...rowsOf('Gold', 11, 10), ...rowsOf('Silver', 11, 8)])).toBe(
      'Silver is lower than Gold for MRI of a leg joint (CPT 73721): a median of $48.00 against $60.00; ' +
        'Gold is 25 % higher.',
    )
    expect(answerFirst([row('Gold', 10), row('Silver', 10)])).toBe(
      'Gold and Silver have the same median for MRI of a leg joint (CPT 73721), $10.00; few prices (1 and 1).',
    )
  })

  it('names the difference of percentages in points, and none to an amount that is not positive', () => {
    const percent = { rate_unit: 'percent_of_charges' }
    expect(answerFirst([...rowsOf('Gold', 11, 10, percent), ...rowsOf('Silver', 11, 8, percent)])).toContain(
      'a median of 48 % of charges against 60 % of charges; Gold is 12 points higher.',
    )
    expect(answerFirst([row('Gold', 0), row('Silver', -5)])).toContain(': $-5.00 against $0.00; few prices (1 and 1).')
  })

  it('names the lowest and the highest of several plans, and how many are tied with them', () => {
    const plans = ['A', 'B', 'C', 'D'].flatMap((plan, index) => rowsOf(plan, 11, [8, 8, 9, 10][index] ?? 0))
    expect(answerFirst(plans)).toBe(
      'Of 4 plans, A and 1 other have the lowest median for MRI of a leg joint (CPT 73721), $48.00, ' +
        'and D the highest, $60.00, 25 % higher.',
    )
  })

  it('names the payers of plans of the same name', () => {
    const rows = [...rowsOf('Gold', 11, 10), ...rowsOf('Gold', 11, 8, { payer: 'Zenith' })]
    expect(answerFirst(rows)).toContain('Gold of Zenith is lower than Gold of Acme for')
  })

  it('shows one to four prices of two plans as prices', () => {
    expect(answerFirst([row('Gold', 60), ...[46, 48, 50].map((rate) => row('Silver', rate))])).toBe(
      'Silver is lower than Gold for MRI of a leg joint (CPT 73721): $46.00, $48.00 and $50.00 against $60.00; ' +
        'Gold is 25 % higher in the median; few prices (3 and 1).',
    )
    expect(answerFirst([row('Gold', 60), ...rowsOf('Silver', 11, 8)])).toContain(
      ': a median of $48.00 against $60.00; Gold is 25 % higher in the median; few prices of Gold (1).',
    )
  })

  it('names the months of publication of the plans that it names, if they differ', () => {
    const [october, november] = ['2026-10-01', '2026-11-15'].map((day) => ({ last_updated_on: new Date(day) }))
    const gold = (facts?: object) => rowsOf('Gold', 11, 10, facts)
    const months = (rows: readonly Row[]) => answerFirst(rows)?.split('. ')[1]
    expect(months([...gold(october), ...rowsOf('Silver', 11, 8, november)])).toBe(
      'Published in different months: Silver November 2026, Gold October 2026.',
    )
    expect(months([...gold(october), ...rowsOf('Silver', 11, 8, october)])).toBeUndefined()
    const three = [...gold(october), ...rowsOf('Silver', 11, 8, october), ...rowsOf('Iron', 11, 9, november)]
    expect(months(three)).toBeUndefined()
    expect(months([...gold(october), ...gold(november)])).toBe(
      'Published in different months: Gold October 2026 and November 2026.',
    )
  })

  it('compares single services, and names a bundle as one if there is nothing else', () => {
    const bundle = { negotiation_arrangement: 'bundle', bundled_codes: ['CPT||99213'] }
    const bundles = ['Gold', 'Silver'].flatMap((plan) => rowsOf(plan, 20, 10, bundle))
    expect(answerFirst(bundles)).toContain('the same median for a bundle with MRI of a leg joint (CPT 73721), $100.00.')
    expect(answerFirst([...bundles, ...rowsOf('Gold', 11, 5)])).toContain('Gold pays a median of $30.00 for MRI of')
  })

  it('says who bills, and names surgical centers, which bill as professionals do', () => {
    const answerBilled = (billing_class: string, service_code: readonly string[] | null = null) =>
      answerFirst(rowsOf('Gold', 1, 10, { billing_class, service_code }))
    expect(answerBilled('professional')).toContain(' for MRI of a leg joint (CPT 73721) billed by a professional: ')
    expect(answerBilled('institutional')).toContain(' (CPT 73721) billed by a facility: ')
    expect(answerBilled('both')).toContain(' (CPT 73721) billed by a professional or a facility: ')
    expect(answerBilled('professional', ['24'])).toContain(' billed at an Ambulatory surgical center (24): ')
    expect(answerBilled('institutional', ['24'])).toContain(' billed by a facility: ')
    expect(answerBilled('dental')).toContain(' of the class dental: ')
  })

  it('compares no plans by amounts of an unknown unit', () => {
    const unknown = { rate_unit: 'unspecified' }
    expect(answerFirst([row('Gold', 10, unknown), row('Silver', 8, unknown)])).toContain('plans are not compared')
  })

  it.each([
    ['classes', { billing_class: 'institutional' }],
    ['units', { rate_unit: 'usd_per_day' }],
    ['modifiers', { billing_code_modifier: ['26'] }],
    ['terms', { setting: 'inpatient' }],
    ['places', { service_code: ['21'] }],
  ])('leaves out prices of other %s than most plans share, though they are more', (_, facts) => {
    const rows = [...rowsOf('Gold', 40, 1, facts), ...rowsOf('Gold', 11, 10), ...rowsOf('Silver', 11, 8)]
    expect(answerFirst(rows)).toContain('Silver is lower than Gold')
    expect(answerFirst(rows)).toContain('a median of $48.00 against $60.00; Gold is 25 % higher.')
  })

  it('leaves out modifiers that most plans share if at least half of the plans have prices without any', () => {
    const reading = { billing_code_modifier: ['26'] }
    const readings = ['Gold', 'Silver', 'Iron', 'Tin'].flatMap((plan) => rowsOf(plan, 40, 1, reading))
    const half = [...rowsOf('Gold', 11, 10), ...rowsOf('Silver', 11, 8)]
    expect(answerFirst([...readings, ...half])).toContain('a median of $48.00 against $60.00')
    expect(answerFirst([...readings, ...rowsOf('Gold', 11, 10)])).toContain('All 4 plans have the same median')
  })
})

describe('the line about expired prices', () => {
  const describeAll = (rows: readonly Row[]) =>
    describeExpired(compareCodes(rows, 'tins').flatMap(({ groups }) => groups))

  it('counts prices that are expired in all of their rows', () => {
    const expired = rowsOf('Gold', 3, 10, { flags: ['blanket', 'expired'] })
    expect(describeAll(expired)).toBe('All 3 prices had expired when they were published, and count')
    expect(describeAll([...expired, ...rowsOf('Gold', 8, 7)])).toContain('3 of 11 prices had expired')
    // Another file has the first price as current.
    const current = { ...at(expired, 0), flags: null, price_id: 'other file' }
    expect(describeAll([...expired, current])).toContain('2 of 3 prices had expired')
  })

  it('stays away if no price is expired', () => {
    expect(describeAll(rowsOf('Gold', 8, 7, { flags: ['blanket'] }))).toBeUndefined()
  })
})

describe('the sentence about several codes', () => {
  const codes = (...steps: readonly (readonly [gold: number, silver: number])[]) =>
    steps.flatMap(([gold, silver], index) => {
      const code = { billing_code: `9921${index}` }
      return [...rowsOf('Gold', 11, gold, code), ...rowsOf('Silver', 11, silver, code)]
    })

  it('counts the codes for which a plan is lower, with the median of all differences and no sum', () => {
    expect(answerAll(codes([10, 8], [10, 9], [10, 7]))).toBe('Silver costs less for all 3 codes, typically by 20 %.')
    // By the sum of all, Gold would be the cheaper plan.
    expect(answerAll(codes([10, 8], [10, 9], [100, 2000]))).toBe(
      'Silver costs less for 2 of 3 codes, typically by 10 % over all 3.',
    )
    expect(answerAll(codes([10, 8], [8, 10]))).toBe('Gold and Silver each cost less for 1 of 2 codes.')
    expect(answerAll(codes([10, 10], [8, 8]))).toContain(
      'No plan has a lower median than the others for any of 2 codes',
    )
  })

  it('counts the codes for which one of several plans is the lowest', () => {
    const third = ['99210', '99211'].flatMap((billing_code) => rowsOf('Third', 11, 9, { billing_code }))
    expect(answerAll([...codes([10, 8], [10, 8]), ...third])).toBe(
      'Of 3 plans, Silver has the lowest median for both codes.',
    )
    expect(answerAll([...codes([10, 8], [7, 8]), ...third])).toBe(
      'Of 3 plans, Gold and 1 other each have the lowest median for 1 of 2 codes.',
    )
  })

  it('needs a line with the classes and terms of the codes, which says so if terms or modifiers differ', () => {
    const rows = codes([10, 8], [10, 9]).map((each) => ({ ...each, billing_class: 'professional' }))
    const change = (facts: Partial<Facts>) =>
      rows.map((each) => (each.billing_code === '99210' ? { ...each, ...facts } : each))
    const describeAll = (all: readonly Row[]) => describeCompared(compareCodes(all, 'tins'))
    expect(describeAll(rows)).toBe('Codes compared: 2 professional; negotiated, ffs')
    expect(describeAll(change({ billing_class: 'institutional', setting: 'inpatient' }))).toBe(
      'Codes compared: 1 facility, 1 professional; each on the terms that most of its plans share',
    )
    expect(describeAll(change({ billing_code_modifier: ['26'] }))).toBe(
      'Codes compared: 2 professional; negotiated, ffs; some with modifiers',
    )
    expect(describeAll(codes([10, 8]))).toBeUndefined()
  })

  it('counts a code once, though it has prices of professionals and of facilities', () => {
    const rows = codes([10, 8], [10, 9]).map((each) => ({ ...each, billing_class: 'professional' }))
    const facilities = rows
      .filter((_, index) => index % 11 > 0)
      .map((each) => ({ ...each, negotiated_rate: 1000 / each.negotiated_rate, billing_class: 'institutional' }))
    expect(answerAll([...rows, ...facilities])).toBe('Silver costs less for both codes, typically by 10 %.')
  })

  it('needs two codes and two plans', () => {
    expect(answerAll(codes([10, 8]))).toBeUndefined()
    expect(answerAll(codes([10, 8], [10, 8]).filter(({ plan }) => plan === 'Gold'))).toBeUndefined()
  })
})

describe('an amount in the sentence', () => {
  const anyRow = fc
    .record({
      plan: fc.constantFrom('Gold', 'Silver', 'Bronze'),
      rate: fc.integer({ min: -5, max: 100_000 }).map((cents) => cents / 100),
      billing_code: fc.constantFrom('1', '2'),
      rate_unit: fc.constantFrom('usd', 'usd', 'percent_of_charges', 'usd_per_day'),
      billing_class: fc.constantFrom(null, 'professional', 'institutional'),
      setting: fc.constantFrom(null, 'inpatient'),
      service_code: fc.constantFrom(null, ['11'], ['11', '22'], ['CSTM-00']),
      flags: fc.constantFrom(null, [], ['expired'], ['outlier_high'], ['placeholder']),
    })
    .map(({ plan, rate, ...facts }) => row(plan, rate, { ...facts, name: null }))

  /** True if a row has an amount of a plan in the unit and class of prices, in this setting and place. */
  const isAt = (each: Row, { basis }: ComparablePrices, setting: string | null, place: string | null) => {
    const places: readonly string[] = each.service_code ?? []
    return (
      each.rate_unit === basis.unit &&
      (each.billing_class ?? '') === basis.billingClass &&
      each.setting === setting &&
      (place === null ? places.length === 0 : places.includes(place) || places.includes('CSTM-00'))
    )
  }

  /** The amounts of a sentence, each with its plan: one plan before `against` and one after, or a plan before each. */
  const listAmounts = (sentence: Sentence) => {
    const plans = sentence.filter(({ kind }) => kind === 'plan').map(({ text }) => text)
    const against = sentence.findIndex(({ text }) => text === ' against ')
    const amounts = sentence.flatMap(({ text, kind }, place) => (kind === 'amount' ? [{ text, place }] : []))
    return amounts.map(({ text, place }, index) => {
      const second = against > 0 && place > against ? plans[1] : plans[0]
      return {
        plan: against > 0 ? second : (plans[index] ?? plans[0]),
        rate: Number(text.replace(/[$,]| .*/g, '')),
      }
    })
  }

  it('comes from the plan that it stands beside, at one place and on the same terms as the others', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 60 }), (rows) => {
        const sure = rows.filter((each) => !isDoubtfulRow(each))
        for (const prices of compareCodes(sure, 'tins')) {
          const sentence = answerCode(prices)
          const amounts = listAmounts(sentence)
          expect(amounts.length).toBeGreaterThan(0)
          const isPublished = (alike: readonly Row[]) =>
            amounts.every(({ plan, rate }) =>
              alike.some((each) => (plan === undefined || each.plan === plan) && each.negotiated_rate === rate),
            )
          const ofCode = sure.filter((each) => `CPT ${each.billing_code}` === prices.code)
          const bases = [null, 'inpatient'].flatMap((setting) =>
            [null, '11', '22', 'CSTM-00'].map((place) => ofCode.filter((each) => isAt(each, prices, setting, place))),
          )
          expect(bases.some(isPublished), read(sentence)).toBe(true)
        }
      }),
    )
  })
})
