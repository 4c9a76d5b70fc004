import { describe, expect, it } from 'vitest'
import { compareCodes, isDoubtfulRow } from '../../../page/statistics/comparable-prices.ts'
import { describeNotCompared } from '../../../page/statistics/not-compared.ts'

const row = (plan: string, billing_code: string, facts: object = {}) => ({
  ...{ payer: 'Acme', plan, billing_code_type: 'CPT', billing_code, rate_unit: 'usd', negotiated_rate: 10 },
  ...{ price_id: `${plan} ${billing_code}`, tin_type: 'ein', tin_value: '1', npi: 1n, flags: null },
  ...facts,
})

const compared = ['Gold', 'Silver'].flatMap((plan) => ['1', '2'].map((code) => row(plan, code)))

function describeAll(plans: readonly string[], all: readonly ReturnType<typeof row>[]) {
  const counted = all.filter((each) => !isDoubtfulRow(each))
  const searched = plans.map((plan) => ({ payer: 'Acme', plan }))
  return describeNotCompared({ plans: searched, all, counted, codes: compareCodes(counted, 'tins') })
}

describe('the line about plans that are not compared', () => {
  it('stays away if every plan is', () => {
    expect(describeAll(['Gold', 'Silver'], compared)).toBeUndefined()
    expect(describeAll(['Gold'], [row('Gold', '1')])).toBeUndefined()
  })

  it('names the plans by their reasons', () => {
    const rows = [
      ...compared,
      row('Iron', '1', { flags: ['placeholder'] }),
      row('Tin', '1', { rate_unit: 'usd_per_day' }),
      row('Zinc', '2', { rate_unit: 'usd_per_day' }),
    ]
    expect(describeAll(['Dental', 'Gold', 'Iron', 'Silver', 'Tin', 'Zinc'], rows)).toBe(
      'Not compared: Dental, no matching prices; Iron, doubtful prices only; Tin, Zinc, prices on other terms only',
    )
  })

  it('leaves plans on other terms of a single code to the line about that code', () => {
    const rows = [row('Gold', '1'), row('Silver', '1'), row('Tin', '1', { rate_unit: 'usd_per_day' })]
    expect(describeAll(['Gold', 'Silver', 'Tin', 'Vision'], rows)).toBe('Not compared: Vision, no matching prices')
  })
})
