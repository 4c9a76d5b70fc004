import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import { readPlanId } from '../../../core/catalogue/plan-id.ts'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import type { PlanChanges, SwitchDeps } from '../../../core/switching/plan-changes.ts'
import { CurrentNotWritten } from '../../../core/switching/publish-current.ts'
import { findUndoable, rollBackFeeSchedule, rollBackLoad } from '../../../core/switching/roll-back.ts'
import { isSettled } from '../../../core/switching/settle-names.ts'
import { switchFeeSchedules } from '../../../core/switching/switch-fee-schedules.ts'
import { newSource, openSwitching, payer } from './open-switching.ts'

const plans = ['PPO', 'HMO'].flatMap((plan) => ['111111111', '222222222', '333333333'].map((id) => ({ plan, id })))

type Switching = ReturnType<typeof openSwitching>

/** The files of each plan, by their numbers. */
type Month = readonly (readonly number[])[]

const anyMonth = fc.tuple(...plans.map(() => fc.subarray([0, 1, 2], { minLength: 1 })))
const anyKills = fc.array(fc.nat(60), { maxLength: 4 })

class Killed extends Error {}

/** Dependencies of a process that is killed at its `at`th call; whatever it still tries to do afterwards fails. */
function dieAt(at: number, deps: SwitchDeps): SwitchDeps {
  let calls = 0
  const wrap = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => {
          if (calls++ >= at) throw new Killed()
          return Reflect.apply(method, target, args)
        }
      },
    })
  return { ...deps, warehouse: wrap(deps.warehouse), catalogue: wrap(deps.catalogue), contents: wrap(deps.contents) }
}

/** Runs an operation in processes that are killed, and then in one that is not. */
async function runKilled(kills: readonly number[], deps: SwitchDeps, run: (deps: SwitchDeps) => Promise<unknown>) {
  for (const at of kills) {
    const outcome = await run(dieAt(at, deps)).catch((error: unknown) => error)
    // The change is made, and an operator is told so: a second rollback of a name would undo it.
    if (outcome instanceof CurrentNotWritten && run.name === 'rollBack') return
    if (outcome instanceof Killed || outcome instanceof CurrentNotWritten) continue
    if (outcome instanceof Error) throw outcome
    return
  }
  await run(deps)
}

function describeMonth(month: Month, name: string) {
  const sources = [0, 1, 2].map((file) => newSource(`${name}${file}`, `${file}`))
  const changes: PlanChanges = {
    loadId: name,
    plans: plans.map(({ plan, id }, index) => ({
      payer,
      plan,
      planId: readPlanId(id, 'EIN'),
      sources: (month[index] ?? []).flatMap((file) => sources[file] ?? []),
      partial: false,
      origin: 'toc',
    })),
  }
  return { sources, changes }
}

/** The sources that a search of each active entry reads; fails if one of them is gone. */
async function readActive({ catalogue, contents }: Switching) {
  const read = new Map<string, readonly string[]>()
  for (const { plan, state } of catalogue.entries.values()) {
    if (state.status !== 'active') continue
    const content = contents.contents.get(state.contentId)
    const sources = content?.sources.map(({ sourceId }) => sourceId) ?? []
    expect({ plan, key: content?.sourcesKey, gone: sources.filter((id) => !contents.sources.has(id)) }).toEqual({
      plan,
      key: state.sourcesKey,
      gone: [],
    })
    read.set(plan, sources)
  }
  return read
}

const variantName = ({ plan, id }: (typeof plans)[number]) => `${plan} (EIN ${id})`
const sourcesOf = (month: Month, name: string, index: number) => (month[index] ?? []).map((file) => `${name}${file}`)

async function expectMonth(switching: Switching, month: Month, name: string, ofPlan?: string): Promise<void> {
  const read = await readActive(switching)
  for (const [index, plan] of plans.entries())
    if (ofPlan === undefined || plan.plan === ofPlan)
      expect([variantName(plan), read.get(variantName(plan))]).toEqual([
        variantName(plan),
        sourcesOf(month, name, index),
      ])
  const entries = [...switching.catalogue.entries.values()]
  for (const entry of entries.filter(({ variantOf }) => variantOf === undefined))
    expect(isSettled({ name: entry, variants: entries.filter(({ variantOf }) => variantOf === entry.plan) })).toBe(true)
}

describe('switches that are killed', () => {
  it('leave each fee schedule on one month, and are resumed without a second write', async () => {
    const switching = openSwitching()
    const { catalogue, contents } = switching
    await fc.assert(
      fc.asyncProperty(anyMonth, anyMonth, anyKills, anyKills, anyKills, fc.boolean(), async (...given) => {
        const [first, second, toFirst, toSecond, toBack, isWhole] = given
        for (const stored of [catalogue.entries, contents.contents, contents.sources]) stored.clear()
        const clock = { now: Date.UTC(2026, 10, 20, 9) }
        const writes: CatalogueEntry[] = []
        const deps: SwitchDeps = {
          ...switching,
          catalogue: {
            ...catalogue,
            replace: async (entry, version) => {
              const outcome = await catalogue.replace(entry, version)
              const read = await readActive(switching)
              for (const [index, plan] of plans.entries()) {
                const months = [sourcesOf(first, 'a', index), sourcesOf(second, 'b', index), undefined]
                expect(months).toContainEqual(read.get(variantName(plan)))
              }
              if (outcome === 'written' && entry.variantOf !== undefined) writes.push(entry)
              return outcome
            },
          },
          now: () => {
            clock.now += 1000
            return new Date(clock.now)
          },
        }
        const months = [describeMonth(first, 'a'), describeMonth(second, 'b')]
        for (const { sources } of months) await deps.contents.putSources(sources, deps.now())
        for (const [index, { changes }] of months.entries()) {
          await runKilled(index === 0 ? toFirst : toSecond, deps, (each) => switchFeeSchedules(changes, each))
          expect(writes).toHaveLength(plans.length * (index + 1))
        }
        await expectMonth(switching, second, 'b')
        const rollBack = async (each: SwitchDeps) =>
          isWhole
            ? rollBackLoad(await findUndoable('b', each), each)
            : rollBackFeeSchedule({ payer, plan: 'PPO' }, each)
        await runKilled(toBack, deps, rollBack)
        await expectMonth(switching, first, 'a', 'PPO')
        await expectMonth(switching, isWhole ? first : second, isWhole ? 'a' : 'b', 'HMO')
        clock.now += 25 * 3_600_000
        await runKilled(toFirst, deps, (each) => cleanWarehouse({ ...each, records: switching.records }))
        await expectMonth(switching, first, 'a', 'PPO')
        const used = new Set(
          [...catalogue.entries.values()].flatMap(({ state }) => ('contentId' in state ? state.contentId : [])),
        )
        expect(new Set(contents.contents.keys())).toEqual(used)
      }),
      { numRuns: 200 },
    )
  }, 240_000)
})
