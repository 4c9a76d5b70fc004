import { describe, expect, it } from 'vitest'
import { readPlanId } from '../../../core/catalogue/plan-id.ts'
import type { CatalogueAdmin } from '../../../core/catalogue/ports.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { switchFeeSchedules } from '../../../core/switching/switch-fee-schedules.ts'
import { newSource, openSwitching, payer } from './open-switching.ts'

const ppo = { payer, plan: 'PPO' }
const one = { plan: 'PPO', planId: '111111111', files: ['a'] }
const two = { plan: 'PPO', planId: '222222222', files: ['a'] }

describe('a switch', () => {
  it('leaves a plan as it is if a file of it was removed meanwhile, and says so', async () => {
    const switching = openSwitching()
    await switching.load(one)
    const lost = { ...ppo, planId: readPlanId('111111111', 'EIN'), sources: [newSource('gone')], partial: false }
    const report = await switchFeeSchedules({ loadId: 'load', plans: [lost] }, switching)
    expect(report).toEqual({
      switched: [],
      unchanged: 0,
      contended: [],
      lost: [{ payer, plan: 'PPO (EIN 111111111)' }],
      refused: [],
    })
    expect(await switching.search()).toMatchObject([{ file: 'a' }])
  })

  it('knows its own write if the answer to it was lost', async () => {
    const switching = openSwitching()
    await switching.load(one)
    const replace: CatalogueAdmin['replace'] = async (...args) => {
      const outcome = await switching.catalogue.replace(...args)
      return args[0].variantOf === undefined ? outcome : 'superseded'
    }
    const catalogue = { ...switching.catalogue, replace }
    const removed = await removeFeeSchedule(ppo, { ...switching, catalogue })
    expect(removed.map(({ plan, state }) => [plan, state.status])).toEqual([
      ['PPO (EIN 111111111)', 'removed'],
      ['PPO', 'removed'],
    ])
  })
})

describe('the name of a plan', () => {
  it('shows what its plan ids have in common, the time of the latest, and neither publisher nor previous state', async () => {
    const switching = openSwitching()
    await switching.load({ ...one, publisher: 'rates.example', facts: { sponsors: ['Harbor Foods'] } })
    switching.wait(1)
    await switching.load({ ...two, publisher: 'rates.example', facts: { sponsors: ['Acme'] } })
    const [name] = switching.listNames()
    expect(name).toMatchObject({
      state: {
        status: 'active',
        planIds: ['ein|111111111', 'ein|222222222'],
        planIdCount: 2,
        facts: { sponsors: ['Acme', 'Harbor Foods'] },
        loadedAt: '2026-11-20T10:30:00.000+00:00',
      },
    })
    expect(name).not.toHaveProperty('previous')
    expect(name).not.toHaveProperty('state.publisher')
  })

  it('gets derived again if files of its content seem to be gone', async () => {
    const switching = openSwitching()
    await switching.load(one, { ...two, files: ['b'] })
    let touches = 0
    const { touchSources } = switching.contents
    const contents = {
      ...switching.contents,
      // The removed variant needs no content, so the first is that of the name.
      touchSources: async (...[ids, at]: Parameters<typeof touchSources>) =>
        ids.length > 0 && touches++ === 0 ? ids : touchSources(ids, at),
    }
    await removeFeeSchedule({ payer, plan: 'PPO (EIN 222222222)' }, { ...switching, contents })
    expect(await switching.search()).toEqual([{ plan: 'PPO', planIds: ['ein|111111111'], file: 'a' }])
    expect(touches).toBe(2)
  })
})
