import { describe, expect, it } from 'vitest'
import type { Estimate } from '../../../client/api.ts'
import { findSpellings, replaceFeeSchedules } from '../../../page/form/corrections.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
const silver = { payer: 'Blue Harbor Health', plan: 'Harbor HMO Silver' }

const estimateOf = (plan: string, nearest: Estimate['fee_schedules'][number]['nearest']): Estimate => ({
  fee_schedules: [{ payer: gold.payer, plan, exists: false, nearest }],
  files: 0,
  bytes: 0,
  statement_bytes: 100,
  warnings: [],
})

describe('the spelling of a fee schedule', () => {
  it.each(['harbor ppo gold', 'HARBOR  PPO GOLD', 'Hárbor PPO Gold'])('replaces %j', (plan) => {
    const missing = { payer: gold.payer, plan }
    expect(findSpellings(estimateOf(plan, [silver, gold]))).toEqual([{ missing, meant: gold }])
  })

  it('stays as it is if letters differ, or if two plans may be meant', () => {
    expect(findSpellings(estimateOf('Harbor PPO Golden', [gold]))).toEqual([])
    expect(findSpellings(estimateOf('harbor ppo gold', [gold, { ...gold, plan: 'HARBOR PPO GOLD' }]))).toEqual([])
  })
})

describe('a correction', () => {
  it('replaces a fee schedule where it stands, and drops one that is chosen already', () => {
    const missing = { ...gold, plan: 'harbor ppo gold' }
    const corrections = [{ missing, meant: gold }]
    expect(replaceFeeSchedules([missing, silver, { plan_id: '1' }], corrections)).toEqual([
      gold,
      silver,
      { plan_id: '1' },
    ])
    expect(replaceFeeSchedules([gold, missing], corrections)).toEqual([gold])
  })
})
