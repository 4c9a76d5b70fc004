import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlanId } from '../../../core/catalogue/plan-id.ts'
import type { CatalogueAdmin } from '../../../core/catalogue/ports.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import type { SwitchDeps } from '../../../core/switching/plan-changes.ts'
import { deriveName, isSettled } from '../../../core/switching/settle-names.ts'
import { switchFeeSchedules } from '../../../core/switching/switch-fee-schedules.ts'
import { race } from '../../builders/open-search.ts'
import { newSource, openSwitching, payer } from './open-switching.ts'

const plan = { payer, plan: 'PPO' }

/** Defers every call of a catalogue to a scheduler. */
function raceCatalogue(catalogue: CatalogueAdmin, scheduler: fc.Scheduler): CatalogueAdmin {
  return {
    find: race(scheduler, catalogue.find),
    list: race(scheduler, catalogue.list),
    listVariants: race(scheduler, catalogue.listVariants),
    isIndexed: race(scheduler, catalogue.isIndexed),
    findPostings: race(scheduler, catalogue.findPostings),
    findPostingsOf: race(scheduler, catalogue.findPostingsOf),
    addPostings: race(scheduler, catalogue.addPostings),
    listSegments: race(scheduler, catalogue.listSegments),
    removeSegment: race(scheduler, catalogue.removeSegment),
    replace: race(scheduler, catalogue.replace),
    remove: race(scheduler, catalogue.remove),
    readKeptDays: race(scheduler, catalogue.readKeptDays),
    writeKeptDays: race(scheduler, catalogue.writeKeptDays),
  }
}

const load = (planId: string, sourceId: string, deps: SwitchDeps) =>
  switchFeeSchedules(
    {
      loadId: deps.newId(),
      plans: [
        {
          ...plan,
          planId: readPlanId(planId, 'EIN'),
          sources: [newSource(sourceId)],
          partial: false,
        },
      ],
    },
    deps,
  )

const anySource = fc.constantFrom('s0', 's1', 's2')
const states = fc.tuple(anySource, anySource, anySource)
const ids = ['111111111', '222222222', '333333333'] as const

describe('operations that change plan ids of one plan at once', () => {
  it('leave the plan’s name consistent with all its variants, in any order of their calls', async () => {
    const switching = openSwitching()
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), states, states, fc.boolean(), async (scheduler, before, after, removes) => {
        switching.catalogue.entries.clear()
        const sources = ['s0', 's1', 's2'].map((id) => newSource(id))
        await switching.contents.putSources(sources, switching.now())
        for (const [position, id] of ids.entries()) await load(id, before[position] ?? '', switching)
        const racing = { ...switching, catalogue: raceCatalogue(switching.catalogue, scheduler) }
        const third = { ...plan, plan: 'PPO (EIN 333333333)' }
        await scheduler.waitFor(
          Promise.all([
            load(ids[0], after[0], racing),
            load(ids[1], after[1], racing),
            ...(removes ? [removeFeeSchedule(third, racing)] : []),
          ]),
        )
        const [name, ...variants] = await switching.catalogue.listVariants(plan)
        if (name === undefined) throw new TypeError('the name is gone')
        expect({ settled: isSettled({ name, variants }), name: name.state.status }).toEqual({
          settled: true,
          name: deriveName(variants).state.status,
        })
      }),
      { numRuns: 500 },
    )
  }, 240_000)
})
