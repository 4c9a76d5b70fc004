import { describe, expect, it } from 'vitest'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { outdate } from '../../doubles/memory-contents.ts'
import { openSwitching, payer } from './open-switching.ts'

describe('the removal of one plan id of two', () => {
  const removed = { payer, plan: 'PPO (EIN 111111111)' }
  const openLoaded = async () => {
    const switching = openSwitching()
    await switching.load(
      { plan: 'PPO', planId: '111111111', files: ['a'] },
      { plan: 'PPO', planId: '222222222', files: ['b'] },
    )
    return switching
  }

  it('lets searches name the plan again, which then has the files of the other', async () => {
    const loaded = await openLoaded()
    expect(loaded.listNames()).toMatchObject([{ plan: 'PPO', state: { status: 'ambiguous', variants: 2 } }])
    await removeFeeSchedule(removed, loaded)
    expect(await loaded.search()).toEqual([{ plan: 'PPO', planIds: ['ein|222222222'], file: 'b' }])
  })

  it('leaves a plan that must be loaded again if an earlier version loaded the other', async () => {
    const loaded = await openLoaded()
    outdate(loaded.contents)
    await removeFeeSchedule(removed, loaded)
    const [state] = loaded.listNames().flatMap((name) => (name.state.status === 'active' ? name.state : []))
    expect(await loaded.contents.readContents([state?.contentId ?? ''])).toMatchObject([{ isOutdated: true }])
  })
})
