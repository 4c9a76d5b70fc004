import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askForChoices } from '../../../client/assistants/summary/ask-for-choices.ts'
import { Decimal } from '../../../parquet/decimal.ts'
import { few } from '../../../schema/summary/percentiles.ts'

const about = ['plan', 'billing_code', 'billing_code_modifier', 'rate_unit', 'billing_class', 'place_of_service']

const group = (facts: object) => ({
  plan: 'Gold',
  billing_code: '73721',
  billing_code_modifier: null,
  rate_unit: 'usd',
  billing_class: 'professional',
  place_of_service: '11',
  value_count: 88n,
  median: new Decimal(34_711n, 2),
  ...facts,
})

const hospital = { billing_class: 'institutional', place_of_service: null, median: new Decimal(76_727n, 2) }

const subjects = (...facts: readonly object[]) => askForChoices(facts.map(group), about).map(({ about: word }) => word)

describe('the questions about a summary', () => {
  it('begin with the class, although professional and institutional prices share no place', () => {
    expect(
      subjects({}, hospital, { billing_code_modifier: ['26'], median: 84 }, { place_of_service: '24', median: 1 }),
    ).toEqual(['billing_class', 'billing_code_modifier', 'place_of_service'])
  })

  it('name code, plan and terms of the medians, and what else the choices differ in', () => {
    expect(askForChoices([group({}), group(hospital)], about)).toMatchObject([
      {
        of: { plan: 'Gold', billing_code: '73721', rate_unit: 'usd' },
        choices: [
          { billing_class: 'professional', place_of_service: '11', median: 347.11, value_count: 88 },
          { billing_class: 'institutional', median: 767.27, value_count: 88 },
        ],
      },
    ])
  })

  it('take the largest groups, and name the other codes for which the choice matters', () => {
    const other = { billing_code: '99213', value_count: 900n }
    const [question] = askForChoices([{}, hospital, other, { ...other, ...hospital }].map(group), about)
    expect(question).toMatchObject({ of: { billing_code: '99213' }, also_matters_for: ['73721'] })
  })

  it('stay unasked if the medians differ by a tenth or less, or have another unit', () => {
    expect(subjects({}, { ...hospital, median: new Decimal(38_182n, 2) })).toEqual([])
    expect(subjects({}, { ...hospital, rate_unit: 'percent_of_charges' })).toEqual([])
  })

  it('say of a class that was not published that it was not', () => {
    expect(askForChoices([group({}), group({ ...hospital, billing_class: null })], about)).toMatchObject([
      { choices: [{ billing_class: 'professional' }, { billing_class: 'not published' }] },
    ])
  })

  it('never offer a group of few prices, or one without a median', () => {
    const anyGroup = fc
      .record({
        billing_class: fc.constantFrom('professional', 'institutional', 'both', null),
        billing_code_modifier: fc.constantFrom(null, ['26'], ['TC']),
        place_of_service: fc.constantFrom('11', '22', null),
        value_count: fc.bigInt({ min: 0n, max: 30n }),
        median: fc.option(fc.integer({ min: 1, max: 5 })),
      })
      .map(group)
    fc.assert(
      fc.property(fc.array(anyGroup, { maxLength: 20 }), (groups) => {
        const choices = askForChoices(groups, about).flatMap((need) => need.choices ?? [])
        const telling = { value_count: expect.any(Number), median: expect.any(Number) }
        for (const choice of choices) expect(choice).toMatchObject(telling)
        const counts = choices.map((choice) => Number(Object(choice)['value_count']))
        expect(counts.every((count) => count >= few)).toBe(true)
      }),
    )
  })
})
